import { expect, test } from "vitest";
import { parse } from "yaml";
import { TaskFile } from "@multiverse/protocol/task-file";
import { Tooling } from "@multiverse/protocol/tooling";
import { find } from "@multiverse/protocol/find";
import { loadState, saveState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { after, commit, create, emptyPlan } from "../testing/states.ts";
import { taskYaml, type TaskSpecSettings } from "./task-spec.ts";

const plain: TaskSpecSettings = {
  llm: { kind: "openai-chat", model: "" },
  tooling: null,
  workerKind: "codex-cli",
  noteLanguage: "ja",
};
const tooling = Tooling.parse({
  activeProfile: "fast",
  profiles: [
    {
      id: "fast",
      name: "Fast",
      categories: {
        meta: { strategy: "priority", candidates: [{ tool: "openai-chat", model: "m1" }] },
        worker: {
          strategy: "round_robin",
          candidates: [
            { tool: "codex-cli", model: "c1", env: { SOME_FLAG: "1" } },
            { tool: "claude-code", weight: 2 },
          ],
        },
      },
    },
  ],
});

const rich = after(
  emptyPlan,
  create("Model", { tempId: "model" }),
  create("一覧画面", {
    description: "List all todos.\nNewest first.",
    dependencies: ["model"],
    acceptanceCriteria: ["shows every todo", 'handles "quotes" and: colons'],
    phaseName: "実装",
    milestone: "M1",
    suggestedImpl: { language: "ts", filePaths: ["src/list/index.ts"], constraints: ["no deps"] },
    test: { command: "npm test -- list", cwd: "." },
  }),
);
const answered = commit(rich, [
  {
    kind: "task.unblocked",
    payload: { taskId: "task-0002", answer: { question: "Which order?", answer: "newest first" } },
  },
]);

const yaml = (state: WorkspaceState, settings: TaskSpecSettings, changes = {}): string => {
  const task = { ...find(state.tasks, "task-0002"), ...changes };
  return taskYaml(task, find(state.nodes, "task-0002"), settings);
};

const GOLDEN: [string, string][] = [
  ["plain", yaml(rich, plain)],
  ["answers", yaml(answered, plain)],
  ["tooling", yaml(rich, { ...plain, tooling })],
  [
    "explicit-worker",
    yaml(rich, { ...plain, tooling }, { runnerWorkerKind: "gemini-cli", runnerMaxLoops: 9 }),
  ],
  [
    "meta-settings",
    yaml(rich, {
      ...plain,
      llm: { kind: "claude-code", model: "opus", systemPrompt: "Be brief." },
      noteLanguage: "en",
    }),
  ],
];

test.each(GOLDEN)(
  "the Task YAML is the golden file %s.yaml, and agent-runner accepts it",
  async (name, text) => {
    await expect(text).toMatchFileSnapshot(`golden/${name}.yaml`);
    expect(TaskFile.safeParse(parse(text)).error).toBeUndefined();
  },
);

test("the same task gives the same text after a restart", () => {
  expect(yaml(loadState(saveState(answered)), plain)).toBe(yaml(answered, plain));
});

test("an explicit worker kind leaves the worker category out and the others in", () => {
  const { runner } = TaskFile.parse(
    parse(yaml(rich, { ...plain, tooling }, { runnerWorkerKind: "gemini-cli" })),
  );
  expect(runner.worker.kind).toBe("gemini-cli");
  expect(runner.tooling).toMatchObject({ profiles: [{ categories: { meta: {} } }] });
  expect(JSON.stringify(runner.tooling)).not.toContain('"worker"');
});

test("a smallest task has no empty fields", () => {
  const state = after(emptyPlan, create("Model"), create("Only a title"));
  expect(yaml(state, plain)).not.toMatch(/description|phase_name|suggested_impl|test:/);
});
