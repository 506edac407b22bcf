import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import { systemClock } from "@multiverse/agents/system-clock";
import { TaskFile } from "@multiverse/protocol/task-file";
import { readTaskFile } from "@multiverse/runner/task-file/read-task-file";
import { buildTaskConfig } from "@multiverse/server/task-builder";
import { afterEach, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { startScriptedOpenAi, type ScriptedAnswer } from "../harness/scripted-openai.ts";

const GOLDEN = "TODO アプリを作成して";
const projectRoot = "/home/me/todo";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** The real meta-agent (prompt, HTTP, reading, asking again) in front of a scripted model, and the real builder. */
async function build(answer: ScriptedAnswer, sentence = GOLDEN) {
  const model = await startScriptedOpenAi(() => answer);
  closing.push(() => model.close());
  const meta = createMetaAgent({
    kind: "openai-chat",
    model: "scripted",
    baseUrl: model.baseUrl,
    env: { OPENAI_API_KEY: "sk-scripted" },
    timeoutSec: 1,
    clock: { ...systemClock, sleep: async () => {} },
  });
  const built = await buildTaskConfig(
    sentence,
    { projectRoot },
    {
      buildTask: async (request, signal) => (await meta.buildTask(request, signal)).answer,
      newId: (prefix) => `${prefix}-1`,
      settings: {
        llm: { kind: "openai-chat", model: "gpt-5.2" },
        tooling: null,
        workerKind: "codex-cli",
        noteLanguage: "ja",
      },
      signal: AbortSignal.timeout(30_000),
    },
  );
  const problems = readTaskFile(Buffer.from(built.yaml)).problems ?? [];
  expect(problems, built.yaml).toEqual([]);
  return { ...built, file: TaskFile.parse(parse(built.yaml)), model };
}

const task = {
  id: "task-1",
  title: `${GOLDEN} (Web)`,
  repo: ".",
  prd: { text: "A page.\n\nAcceptance criteria:\n- a todo can be added (check: `npm test`)" },
  test: { command: "npm test" },
  suggested_impl: { file_paths: [`${projectRoot}/src/app.ts`] },
};
const answered = (payload: object): ScriptedAnswer => ({
  text: JSON.stringify({ type: "build_task", version: 1, payload }),
});

test("GT-1: the golden sentence becomes a task with id, title, repo, PRD with criteria, loops and worker", async () => {
  const { file, warning, model } = await build(answered({ task }));
  expect(warning).toBeNull();
  expect(file.task).toMatchObject({ id: "task-1", title: `${GOLDEN} (Web)`, repo: "." });
  expect(file.task.prd.text).toContain(GOLDEN);
  expect(file.task.prd.text).toContain("- a todo can be added");
  expect(file.task.suggested_impl?.file_paths).toEqual(["src/app.ts"]);
  expect(file.task.test).toEqual({ command: "npm test", cwd: "." });
  expect(file.runner).toMatchObject({
    max_loops: 5,
    meta: { kind: "openai-chat", model: "gpt-5.2" },
    worker: { kind: "codex-cli" },
  });
  expect(JSON.stringify(model.requests[0]?.body)).toContain(GOLDEN);
});

test.each([
  ["a bare Task YAML", stringify({ version: 1, task })],
  ["a Task YAML in a fence", `Here it is:\n\`\`\`yaml\n${stringify({ version: 1, task })}\`\`\``],
  ["a Task YAML after a header", `model: x\n\n${stringify({ version: "1", task })}`],
  ["the usual runner section", stringify({ version: 1, task, runner: { max_loops: 500 } })],
  ["the workspace's own path", stringify({ version: 1, task: { ...task, repo: projectRoot } })],
])("%s is read too", async (_, text) => {
  const { file, warning } = await build({ text });
  expect(warning).toBeNull();
  expect(file.task).toMatchObject({ title: `${GOLDEN} (Web)`, repo: "." });
  expect(file.runner.max_loops).toBe(5);
});

const with_ = (change: object): ScriptedAnswer => answered({ task: { ...task, ...change } });
const runner = (worker: object): ScriptedAnswer => answered({ task, runner: { worker } });
const bomb = Array.from({ length: 10 }, (_, i) => `l${i}: &l${i} [*l${i - 1}, *l${i - 1}]`).slice(
  1,
);
const bombText = ["version: 1", "l0: &l0 [x, x]", ...bomb, "task: *l9"].join("\n");

describe("what cannot be used falls back to the sentence, with a warning", () => {
  test.each<[string, ScriptedAnswer, RegExp]>([
    ["prose", { text: "Sure! I will build that for you." }, /unusable|no JSON/],
    ["broken YAML", { text: "version: 1\ntask: [" }, /unusable/],
    ["no id", with_({ id: undefined }), /task\.id/],
    ["another id", with_({ id: "task-2" }), /its id is another/],
    ["an id that is a path", with_({ id: "../x" }), /task\.id/],
    ["another title", with_({ title: "Something else" }), /title does not hold/],
    ["another repo", with_({ repo: "/etc" }), /not this workspace/],
    ["a repo outside", with_({ repo: ".." }), /not this workspace/],
    ["a PRD in a file", with_({ prd: { path: "/etc/passwd" } }), /prd/],
    ["a PRD without criteria", with_({ prd: { text: "Just do it." } }), /no acceptance criteria/],
    [
      "a file outside",
      with_({ suggested_impl: { file_paths: ["../../x"] } }),
      /leaves the project/,
    ],
    ["a test elsewhere", with_({ test: { command: "ls", cwd: "/" } }), /leaves the project/],
    ["an environment", runner({ env: { TOKEN: "env:OPENAI_API_KEY" } }), /"env"/],
    ["a mount", runner({ mounts: ["/:/host"] }), /"mounts"/],
    ["an open network", runner({ network: "default", allow_hosts: ["evil"] }), /"network"/],
    ["no sandbox", runner({ sandbox: "local" }), /"sandbox"/],
    ["its own image and flags", runner({ docker_image: "evil", flags: ["--yolo"] }), /"flags"/],
    ["a login to use", runner({ auth_path: "/root/.ssh" }), /"auth_path"/],
    ["a budget", answered({ task, runner: { budget: { max_usd: 1e6 } } }), /"budget"/],
    ["permissions at the top", answered({ task, permissions: "all" }), /"permissions"/],
    ["permissions in the task", with_({ env: { A: "b" } }), /"env"/],
    ["aliases that explode", { text: bombText }, /alias|anchor/],
    ["a tag", { text: "version: 1\ntask: !!js/function 'x'" }, /tag/],
    ["megabytes", { text: `task: ${"x".repeat(5_000_000)}` }, /larger than 4 MiB/],
    ["endless nesting", { text: `task: ${"[".repeat(100_000)}` }, /unusable/],
    ["a model that is down", { status: 503, body: "no" }, /503|unavailable|answer/],
    ["a key that is refused", { status: 401, body: "{}" }, /key|401/],
    ["a model that never answers", { hang: true }, /time|answer/],
  ])("%s", async (_, answer, why) => {
    const { file, warning, yaml } = await build(answer);
    expect(warning).toMatch(why);
    expect(file.task).toMatchObject({ id: "task-1", title: GOLDEN, repo: "." });
    expect(file.task.prd.text).toContain(GOLDEN);
    expect(file.task.prd.text).toMatch(/Acceptance criteria:\n- /);
    expect(file.runner.worker).toMatchObject({ kind: "codex-cli", env: {}, network: "default" });
    expect(yaml).not.toMatch(/evil|TOKEN|mounts|yolo/);
  });
});

test("a prototype in the answer is no part of it", async () => {
  const hostile = `{"type":"build_task","payload":{"__proto__":{"polluted":true},"task":${JSON.stringify(task)}}}`;
  const { warning } = await build({ text: hostile });
  expect(warning).toBeNull();
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("an answer that breaks the rules is asked for again with the reason", async () => {
  const { warning, model } = await build(runner({ sandbox: "local" }));
  expect(warning).toContain("sandbox");
  expect(model.requests).toHaveLength(3);
  expect(JSON.stringify(model.requests[1]?.body)).toContain("could not be used");
});

test("the fallback is the same each time, byte for byte", async () => {
  const one = await build({ text: "no" });
  const two = await build({ text: "no" });
  expect(one.yaml).toBe(two.yaml);
});

test("a long sentence names the task by its beginning and is whole in the PRD", async () => {
  const long = "🚀\n".repeat(900).trim();
  const { file } = await build({ text: "no" }, long);
  expect(Array.from(file.task.title)).toHaveLength(200);
  expect(file.task.title.startsWith("🚀 🚀")).toBe(true);
  expect(file.task.prd.text).toContain(long);
});

test.each(["", "  \n", "x".repeat(200_000)])(
  "a sentence like %.3j is refused",
  async (sentence) => {
    await expect(build(answered({ task }), sentence)).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  },
);
