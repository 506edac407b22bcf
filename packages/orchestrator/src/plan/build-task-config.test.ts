import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { TaskFile } from "@multiverse/protocol/task-file";
import { buildTaskConfig, type TaskBuilderPorts } from "./build-task-config.ts";

const PROMPT = "TODO アプリを作成して";
const ports = (answer: () => string): TaskBuilderPorts => ({
  askTaskYaml: async () => answer(),
  newId: (prefix) => `${prefix}-1`,
  settings: {
    llm: { kind: "openai-chat", model: "" },
    tooling: null,
    workerKind: "codex-cli",
    noteLanguage: "ja",
  },
  signal: new AbortController().signal,
});
const good = {
  version: 1,
  task: {
    id: "todo",
    title: `${PROMPT} (web)`,
    repo: ".",
    prd: { text: "A page with a list.\n\nAcceptance criteria:\n- a todo can be added" },
    test: { command: "npm test" },
    suggested_impl: { file_paths: ["/p/src/app.ts"] },
  },
};
const build = async (answer: () => string) => {
  const built = await buildTaskConfig(PROMPT, { projectRoot: "/p" }, ports(answer));
  return { ...built, file: TaskFile.parse(parse(built.yaml)) };
};

test("a sentence becomes a valid task with id, title, repo, PRD, loops and worker", async () => {
  const { file, warning } = await build(() => stringify(good));
  expect(warning).toBeNull();
  expect(file.task).toMatchObject({ id: "task-1", title: `${PROMPT} (web)`, repo: "." });
  expect(file.task.prd.text).toContain(PROMPT);
  expect(file.task.prd.text).toContain("a todo can be added");
  expect(file.task.suggested_impl?.file_paths).toEqual(["src/app.ts"]);
  expect(file.task.test).toEqual({ command: "npm test", cwd: "." });
  expect(file.runner.max_loops).toBe(5);
  expect(file.runner.worker.kind).toBe("codex-cli");
});

test("how the task is run never comes from the model", async () => {
  const worker = { kind: "mock", env: { TOKEN: "x" }, docker_image: "evil", network: "none" };
  const runner = { max_loops: 999, worker, meta: { kind: "mock" } };
  const { yaml, file } = await build(() => stringify({ ...good, runner }));
  expect(yaml).not.toMatch(/evil|TOKEN|999/);
  expect(file.runner.worker.kind).toBe("codex-cli");
});

const broken = (task: object): string => stringify({ ...good, task: { ...good.task, ...task } });

test.each([
  ["not YAML", "a: [", /not YAML/],
  ["prose", "Sure! Here is your task.", /cannot be used/],
  ["no id", broken({ id: undefined }), /no task.id/],
  ["an id that is a path", broken({ id: "../x" }), /task.id/],
  ["another title", broken({ title: "something else" }), /title/],
  ["another repo", broken({ repo: "/etc" }), /repo/],
  ["no PRD", broken({ prd: { path: "prd.md" } }), /prd.text/],
  ["a file outside", broken({ suggested_impl: { file_paths: ["../x"] } }), /leaves the project/],
  ["aliases that explode", "a: &a [x]\nb: [*a, *a]", /cannot be used|not YAML/],
])("an answer with %s falls back to the sentence, with a warning", async (_, text, why) => {
  const { file, warning } = await build(() => text);
  expect(warning).toMatch(why);
  expect(file.task).toMatchObject({ id: "task-1", title: PROMPT, repo: "." });
  expect(file.task.prd.text).toContain(PROMPT);
  expect(file.task.prd.text).toContain("Acceptance criteria:");
});

test("a meta-agent that cannot be asked is a warning too", async () => {
  const { file, warning } = await build(() => {
    throw new Error("socket hang up");
  });
  expect(warning).not.toBeNull();
  expect(file.task.title).toBe(PROMPT);
});

test("the fallback is the same each time", async () => {
  const [one, two] = await Promise.all([build(() => ""), build(() => "")]);
  expect(one.yaml).toBe(two.yaml);
});

test("a long sentence names the task by its beginning and is whole in the PRD", async () => {
  const long = "🚀".repeat(900);
  const { yaml } = await buildTaskConfig(
    long,
    { projectRoot: "/p" },
    ports(() => ""),
  );
  const { task } = TaskFile.parse(parse(yaml));
  expect(task.title).toBe("🚀".repeat(200));
  expect(task.prd.text).toContain(long);
});

test("nothing said is refused", async () => {
  const asked = buildTaskConfig(
    "  ",
    { projectRoot: "/p" },
    ports(() => stringify(good)),
  );
  await expect(asked).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
