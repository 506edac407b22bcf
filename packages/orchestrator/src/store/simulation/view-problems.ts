import { join } from "node:path";
import { NodesRuntimeFile, TasksFile, TestsFile, WbsFile } from "@multiverse/protocol/design-files";
import { AttemptFile } from "@multiverse/protocol/entity-files";
import { planOrder } from "../views/design-views.ts";
import { nodeText } from "../views/design-views.ts";
import type { Workspace } from "../workspace.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

/** Where the files beside history do not say what the state says. */
export async function viewProblems(disk: SimulatedDisk, workspace: Workspace): Promise<string[]> {
  const { state, dir } = workspace;
  const files = disk.contents();
  const problems: string[] = [];
  const text = (file: string): string => files.get(join(dir, file))?.toString("utf8") ?? "";
  const expectEqual = (file: string, is: unknown, wanted: unknown): void => {
    if (JSON.stringify(is) !== JSON.stringify(wanted))
      problems.push(`${file} differs: ${JSON.stringify(is)} ${JSON.stringify(wanted)}`);
  };
  const ids = (folder: string, ending: string): string[] =>
    [...files.keys()]
      .filter((path) => path.startsWith(join(dir, folder, "/")) && path.endsWith(ending))
      .map((path) => path.slice(join(dir, folder).length + 1, -ending.length))
      .sort();

  for (const node of state.nodes.values())
    expectEqual(node.id, text(`design/nodes/${node.id}.json`), nodeText(state, node));
  expectEqual("design/nodes", ids("design/nodes", ".json"), [...state.nodes.keys()].sort());
  expectEqual("tasks", ids("tasks", ".jsonl"), [...state.tasks.keys()].sort());
  expectEqual("backlog", ids("backlog", ".json"), [...state.backlog.keys()].sort());
  const wbs = WbsFile.parse(JSON.parse(text("design/wbs.json")));
  expectEqual(
    "design/wbs.json",
    wbs.node_index.map((n) => n.node_id),
    [...planOrder(state)].map((n) => n.id),
  );
  const tasks = TasksFile.parse(JSON.parse(text("state/tasks.json")));
  expectEqual(
    "state/tasks.json",
    tasks.tasks.map((t) => t.task_id),
    [...state.tasks.keys()].sort(),
  );
  const runtimes = NodesRuntimeFile.parse(JSON.parse(text("state/nodes-runtime.json")));
  expectEqual(
    "state/nodes-runtime.json",
    runtimes.nodes.map((n) => n.status),
    [...state.runtimes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, r]) => r.status),
  );
  const tests = TestsFile.parse(JSON.parse(text("state/tests.json")));
  expectEqual("state/tests.json", tests.node_tests.length, state.tests.size);
  for (const attempt of state.attempts.values()) {
    const file = AttemptFile.parse(JSON.parse(text(`attempts/${attempt.id}.json`)));
    expectEqual(
      attempt.id,
      [file.status, file.result !== null],
      [attempt.status, attempt.finishedAt !== null],
    );
  }
  await chatProblems(workspace, text, expectEqual);
  return problems;
}

async function chatProblems(
  workspace: Workspace,
  text: (file: string) => string,
  expectEqual: (file: string, is: unknown, wanted: unknown) => void,
): Promise<void> {
  const wanted = new Map<string, string[]>();
  for (const fact of await workspace.readFacts({
    after: 0,
    limit: 1_000_000,
    kind: "chat.message",
  })) {
    if (fact.kind !== "chat.message") continue;
    const { id, sessionId } = fact.payload.message;
    wanted.set(sessionId, [...(wanted.get(sessionId) ?? []), id]);
  }
  for (const [session, ids] of wanted) {
    const lines = text(`chat/${session}.jsonl`).split("\n").slice(0, -1);
    expectEqual(
      `chat/${session}`,
      lines.map((line) => (JSON.parse(line) as { id: string }).id),
      ids,
    );
  }
}
