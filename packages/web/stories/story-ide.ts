import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { Ide } from "../src/ide.svelte.ts";
import { after, planState, type FixtureTask } from "../src/testing/plan-fixture.ts";
import { Workspace } from "../src/workspace/workspace.svelte.ts";
import { storyApi } from "./story-api.ts";

/** A plan in the middle of its life: every status is there. */
const TASKS: readonly FixtureTask[] = [
  {
    id: "design",
    title: "Design the app",
    milestone: "M1 Foundation",
    phase: "Design",
    state: "succeeded",
    criteria: ["Every file is named", "Every route is named"],
    files: ["docs/design.md"],
  },
  {
    id: "list",
    title: "The list",
    description: "Pure functions: add, tick, remove.",
    milestone: "M1 Foundation",
    phase: "Build",
    domain: "core",
    after: ["design"],
    state: "succeeded",
    criteria: ["The list's tests pass", "No input or output"],
    files: ["src/todo.mjs"],
    tags: ["core"],
    effort: "small",
  },
  {
    id: "store",
    title: "Keep the list in a file",
    milestone: "M1 Foundation",
    phase: "Build",
    domain: "core",
    after: ["list"],
    state: "running",
    criteria: ["Survives a restart", "No half-written file", "Tests pass"],
    effort: "medium",
  },
  {
    id: "page",
    title: "The page",
    milestone: "M2 Usable",
    phase: "Build",
    domain: "public",
    after: ["list"],
    state: "retry",
    criteria: ["Works with the keyboard"],
  },
  {
    id: "server",
    title: "The server",
    milestone: "M2 Usable",
    phase: "Build",
    domain: "server",
    after: ["store"],
    effort: "large",
  },
  {
    id: "login",
    title: "Log in with a passkey",
    milestone: "M2 Usable",
    phase: "Build",
    domain: "server",
    after: ["design"],
    state: "failed",
    criteria: ["A passkey works", "A wrong one does not", "Tests pass"],
  },
  { id: "share", title: "Share a list", milestone: "M2 Usable", phase: "Build", after: ["login"] },
  {
    id: "sync",
    title: "Choose the storage",
    milestone: "M2 Usable",
    phase: "Design",
    state: "question",
  },
  {
    id: "check",
    title: "Check everything and write the README",
    milestone: "M3 Check",
    phase: "Verification",
    after: ["page", "server", "share"],
    criteria: ["npm test passes"],
  },
  {
    id: "old",
    title: "The old importer",
    milestone: "M3 Check",
    phase: "Verification",
    state: "canceled",
  },
];

const message = (
  id: string,
  role: "user" | "assistant",
  content: string,
  more: object = {},
): NewFact => ({
  kind: "chat.message",
  payload: {
    message: {
      id,
      sessionId: "chat-1",
      role,
      content,
      timestamp: "2026-01-05T10:00:00.000Z",
      generatedTasks: [],
      questions: [],
      ...more,
    },
  },
});

export function busyState(): WorkspaceState {
  return after(planState(TASKS), [
    message("m1", "user", "TODO アプリを作成して"),
    message(
      "m2",
      "assistant",
      "A small TODO app with **no dependencies**: a list, a file, a page, a server.\n\n- tests for each part\n- one command to start",
      {
        generatedTasks: ["design", "list", "store", "page", "server"],
        questions: [
          {
            backlogId: "ask-sync",
            text: "Which storage shall be used?",
            options: ["A file", "SQLite"],
            blocking: false,
            default: "A file",
          },
        ],
      },
    ),
  ]);
}

/** The same plan when everything in it is done. */
export const doneState = (): WorkspaceState =>
  planState(TASKS.map((task) => ({ ...task, state: "succeeded" })));

export function manyTasks(count: number): FixtureTask[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `t${i}`,
    title: `Task ${i}: ${["parse", "draw", "store", "send", "check"][i % 5]} the ${["list", "page", "file", "answer"][i % 4]}`,
    milestone: `M${1 + Math.floor((i * 8) / count)}`,
    phase: ["Design", "Build", "Verification"][i % 3] ?? "",
    after: i === 0 ? [] : [`t${Math.max(0, i - 1 - ((i * 7) % 40))}`],
    ...(i < count / 3
      ? { state: "succeeded" as const }
      : i < count / 3 + 6
        ? { state: "running" as const }
        : {}),
  }));
}

/** A workspace that is connected to nothing, in the state it is given. */
export function storyIde(state: WorkspaceState, arrange: (ide: Ide) => void = () => {}): Ide {
  const workspace = new Workspace({
    id: "0123456789ab",
    api: storyApi.inWorkspace("0123456789ab"),
    openSocket: () => ({ onopen: null, onmessage: null, onclose: null, close: () => {} }),
    schedule: (flush) => void setTimeout(flush, 0),
    random: () => 0.5,
  });
  workspace.state = state;
  workspace.loaded = true;
  workspace.link = "live";
  const ide = new Ide(storyApi, workspace);
  ide.demo = true;
  arrange(ide);
  return ide;
}

/** Some output, with colours and errors. */
export function withLog(ide: Ide): void {
  const lines = [
    "$ node --test",
    "\u001b[32m✓\u001b[0m adds a todo",
    "\u001b[32m✓\u001b[0m ticks a todo",
    "\u001b[31m✗ keeps the file whole\u001b[0m",
    "writing src/store.mjs",
  ];
  for (let i = 0; i < 60; i++)
    ide.workspace.logs.add({
      taskId: i % 3 === 0 ? "page" : "store",
      attemptId: "attempt-store",
      stream: i % 7 === 6 ? "stderr" : "stdout",
      text: lines[i % lines.length] ?? "",
      at: "2026-01-05T10:00:30.000Z",
    });
  ide.workspace.logVersion += 1;
}
