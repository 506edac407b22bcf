import { createApi, type Api } from "@multiverse/protocol/http/api";
import { RequestError } from "../src/connection/request-error.ts";

const DIFF = `--- a/src/todo.mjs
+++ b/src/todo.mjs
@@ -1,6 +1,8 @@
 /** A list of todos is a plain array. */
-const LONGEST_TITLE = 100;
+const LONGEST_TITLE = 200;
 
 export function addTodo(todos, title) {
+  if (title.trim() === "") throw new RangeError("a todo needs a title");
   return [...todos, { title, done: false }];
 }
`;

const NOTE = `# Task Note: The list

## Summary

- Status: **COMPLETE**
- Loops: 1

| criterion | result |
| --- | --- |
| The list's tests pass | ✓ |
| No input or output in the module | ✓ |

\`\`\`
$ node --test
# pass 12
\`\`\`
`;

const tool = (id: string, model: string, weight: number) => ({ tool: id, model, weight });

const HAPPENED = [
  ["attempt.finished", { task_id: "list" }],
  ["task.succeeded", { task_id: "list" }],
  ["attempt.finished", { task_id: "login" }],
  ["task.failed", { task_id: "login" }],
  ["execution.started", {}],
] as const;
const fact = ([kind, payload]: (typeof HAPPENED)[number], i: number) => ({
  v: 1,
  seq: 44 + i,
  id: `f${i}`,
  at: "2026-01-05T10:00:40.000Z",
  kind,
  workspace_id: "0123456789ab",
  by: "scheduler",
  tx: `x${i}`,
  i: 0,
  n: 1,
  payload,
});

/** What a server would answer; paths end as the routes do. */
const ANSWERS: readonly (readonly [ending: RegExp, body: unknown])[] = [
  [
    /\/changes$/,
    {
      truncated: false,
      files: [
        { path: "src/todo.mjs", status: "modified", diff: DIFF, needsReview: false },
        { path: "public/logo.png", status: "binary", diff: "", needsReview: true },
      ],
    },
  ],
  [/\/note$/, { path: ".agent-runner/task-list.md", markdown: NOTE }],
  [
    /\/snapshots$/,
    {
      snapshots: [
        { id: "snapshot-2", seq: 48, createdAt: "2026-01-05T10:01:00.000Z", bytes: 48_211 },
        { id: "snapshot-1", seq: 12, createdAt: "2026-01-05T09:40:00.000Z", bytes: 9_020 },
      ],
    },
  ],
  [/\/history/, { seq: 48, facts: HAPPENED.map(fact) }],
  [/\/processes$/, { processes: [] }],
  [
    /\/attempts$/,
    {
      attempts: [],
    },
  ],
  [/\/log\?/, { text: "", after: 0, size: 0 }],
  [
    /\/doctor$/,
    {
      demo: true,
      checks: [
        { id: "node", title: "Node.js", status: "ok", detail: "20.20.2", hint: "" },
        {
          id: "docker",
          title: "Docker",
          status: "missing",
          detail: "not installed",
          hint: "Install Docker, or use the demo agent.",
        },
        {
          id: "disk",
          title: "Disk",
          status: "warning",
          detail: "2.1 GB free",
          hint: "Free some space; images need about 4 GB.",
        },
      ],
    },
  ],
  [
    /\/workspaces$/,
    {
      workspaces: [
        {
          id: "0123456789ab",
          name: "todo-app",
          projectRoot: "/home/ada/todo-app",
          open: true,
          lastOpenedAt: "2026-01-05T10:00:00.000Z",
          damage: null,
        },
        {
          id: "ba9876543210",
          name: "engine",
          projectRoot: "/home/ada/engine",
          open: false,
          lastOpenedAt: "2026-01-02T10:00:00.000Z",
          damage: "history/actions-20260102.jsonl at byte 4,096",
        },
      ],
    },
  ],
  [/\/settings\/general$/, { maxParallel: 3, allowPrivateHosts: ["registry.internal:5000"] }],
  [/\/settings\/llm$/, { kind: "openai-chat", model: "gpt-5.2" }],
  [
    /\/settings\/tooling$/,
    {
      activeProfile: "balanced",
      profiles: [
        {
          id: "balanced",
          name: "Balanced",
          categories: {
            meta: {
              candidates: [
                tool("codex-cli", "gpt-5.2", 40),
                tool("claude-code", "claude-sonnet-4-5-20250929", 30),
              ],
            },
            worker: {
              candidates: [
                tool("codex-cli", "gpt-5.2-codex", 60),
                tool("gemini-cli", "no-such-model", 40),
              ],
            },
          },
        },
      ],
    },
  ],
  [/\/models$/, { models: ["gpt-5.2", "gpt-5.2-codex"] }],
  [/\/folders/, { folders: ["/home/ada/todo-app"] }],
];

/** A server made of paper. Models named "no-such…" are warned about; what it does not know it cannot do. */
export const storyApi: Api = createApi((_method, path, answer, body) => {
  const asked = JSON.stringify(body ?? "");
  if (path.endsWith("/validate"))
    return Promise.resolve(
      answer.parse({
        valid: true,
        warnings: asked.includes("no-such")
          ? ["gemini-cli does not know the model no-such-model"]
          : [],
      }),
    );
  const known = ANSWERS.find(([ending]) => ending.test(path));
  if (known) return Promise.resolve(answer.parse(known[1]));
  const hint = "The stories have no server.";
  return Promise.reject(new RequestError("UNREACHABLE", "This cannot be done here.", hint, 0));
});
