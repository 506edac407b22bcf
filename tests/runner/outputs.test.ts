import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedOpenAi } from "../harness/scripted-openai.ts";
import type { ScriptedAnswer } from "../harness/scripted-openai.ts";
import { RUNNER, newPlace, runRunner } from "./harness/agent-runner.ts";
import type { Place } from "./harness/agent-runner.ts";
import { HELLO, assessment, helloCheck, planned, worker } from "./harness/model-answers.ts";

let place: Place;
beforeEach(() => (place = newPlace()));
afterEach(() => place.remove());

const MOCK = { meta: { kind: "mock" }, worker: { kind: "mock" } };
const task = (runner: object = MOCK): object => ({
  version: 1,
  task: { id: "TASK-1", title: "Hello", prd: { text: "Say hello." } },
  runner,
});

async function withModel(
  answers: ScriptedAnswer[],
  env: Record<string, string>,
  args: string[],
  runner: object,
) {
  const model = await startScriptedOpenAi(answers);
  try {
    return await runRunner(place, {
      task: task(runner),
      args,
      env: { OPENAI_BASE_URL: model.baseUrl, ...env },
    });
  } finally {
    await model.close();
  }
}

test("a person gets a short log on stdout, and logs on stderr", async () => {
  const { code, stdout, stderr } = await runRunner(place, { task: task(), args: [] });
  expect(code).toBe(0);
  expect(
    stdout
      .replace(/\d+\.\d s/g, "N s")
      .replaceAll(place.repo, "REPO")
      .replace(/demo\/\w+/g, "demo/X"),
  ).toMatchInlineSnapshot(`
    "agent-runner: TASK-1 - Hello in REPO
    PENDING → PLANNING
      0 of 1 criteria passed
        · AC-1: The worker has left its note
    PLANNING → RUNNING
      worker mock started
      ✓ worker: Left a note. (exit 0, N s, 1 file changed)
    RUNNING → VALIDATING
      ✓ test -s demo/X.md (exit 0, N s)
      1 of 1 criteria passed
        ✓ AC-1: The worker has left its note
    VALIDATING → COMPLETE
    ✓ succeeded: All criteria are met, and each is backed by a check or a run.
      note: .agent-runner/task-TASK-1.md
    "
  `);
  for (const line of stderr.trimEnd().split("\n"))
    expect(JSON.parse(line)).toMatchObject({ level: "INFO" });
});

test("the log has the points and fields people look for, with one trace id", async () => {
  const env = { MULTIVERSE_TRACE_ID: "trace-42" };
  const { stderr, events } = await runRunner(place, {
    task: task(),
    args: ["--json", "--log-level", "debug"],
    env,
  });
  const lines = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const find = (message: string): Record<string, unknown> | undefined =>
    lines.find((line) => line.message === message);
  expect(find("starting task execution")).toMatchObject({
    task_id: "TASK-1",
    title: "Hello",
    state: "PENDING",
    component: "runner",
  });
  expect(find("state transition")).toMatchObject({ from: "PENDING", to: "PLANNING" });
  expect(find("calling Meta.PlanTask")).toBeDefined();
  expect(find("PlanTask completed")).toMatchObject({
    criteria_count: 1,
    duration_ms: expect.any(Number) as number,
  });
  expect(find("worker started")).toMatchObject({ prompt_length: expect.any(Number) as number });
  expect(find("worker completed")).toMatchObject({
    exit_code: 0,
    output_length: expect.any(Number) as number,
    duration_ms: expect.any(Number) as number,
  });
  expect(find("worker output")).toMatchObject({
    level: "DEBUG",
    output: expect.any(String) as string,
  });
  expect(find("task finished")).toMatchObject({
    final_state: "COMPLETE",
    worker_runs_count: 1,
    meta_calls_count: 3,
    duration_ms: expect.any(Number) as number,
  });
  expect(new Set(lines.map((line) => line.trace_id))).toEqual(new Set(["trace-42"]));
  expect(new Set(events.map(({ traceId }) => traceId))).toEqual(new Set(["trace-42"]));
});

test("--events and --result hold what --json prints; the first event names the process", async () => {
  const [events, result] = [join(place.folder, "events.jsonl"), join(place.folder, "result.json")];
  writeFileSync(events, "");
  const ended = await runRunner(place, {
    task: task(),
    args: ["--json", "--events", events, "--result", result],
  });
  expect(readFileSync(events, "utf8")).toBe(ended.stdout);
  expect(ended.events[0]).toMatchObject({
    type: "log",
    fields: {
      pid: expect.any(Number) as number,
      pid_start_time: expect.stringMatching(/:\d+$/) as string,
    },
  });
  const written: unknown = JSON.parse(readFileSync(result, "utf8"));
  expect(written).toEqual(
    (JSON.parse(ended.stdout.trimEnd().split("\n").at(-1) ?? "") as { result: unknown }).result,
  );
  expect(readdirSync(place.folder).filter((name) => name.includes("tmp"))).toEqual([]);
});

test("events go into a pipe too; one that nobody reads is refused, not waited for without end", async () => {
  const pipe = join(place.folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const unread = await runRunner(place, { task: task(), args: ["--events", pipe] });
  expect(unread.code).toBe(1);
  expect(unread.stderr).toContain("it is a pipe that nobody reads");
  expect(existsSync(join(place.repo, ".agent-runner"))).toBe(false);
  const reader = readFile(pipe, "utf8");
  const { code } = await runRunner(place, { task: task(), args: ["--events", pipe] });
  expect(code).toBe(0);
  expect(JSON.parse((await reader).trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    type: "finished",
  });
});

test("a file of events is appended to, never replaced", async () => {
  const path = join(place.folder, "events.jsonl");
  writeFileSync(path, '{"earlier":true}\n');
  await runRunner(place, { task: task(), args: ["--events", path] });
  expect(readFileSync(path, "utf8")).toMatch(/^\{"earlier":true\}\n\{"v":1,/);
});

test("a full disk for the events, the result or the recording is told and does not stop the run", async () => {
  const events = await runRunner(place, {
    task: task(),
    args: ["--json", "--events", "/dev/full"],
  });
  expect(events.result().state).toBe("COMPLETE");
  expect(events.stderr.match(/events can no longer be written/g)).toHaveLength(1);
  expect(events.code).toBe(1);
  const result = await runRunner(place, {
    task: task(),
    args: ["--json", "--result", "/proc/result.json"],
  });
  expect(result.result().state).toBe("COMPLETE");
  expect(result.events).toContainEqual(expect.objectContaining({ type: "log", level: "error" }));
  expect(result.code).toBe(1);
  const recording = await runRunner(place, {
    task: task(),
    args: ["--json", "--record", "/dev/full"],
  });
  expect(recording.result().state).toBe("COMPLETE");
  expect(recording.events).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining("the recording stops") as string }),
  );
});

test("a check that prints without end costs neither memory nor a flood of events", async () => {
  const flood = "yes | head -n 300000; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the end";
  const answers = [
    planned({ description: "x", check: { kind: "command", command: flood } }),
    worker(HELLO),
    assessment(true),
  ];
  const run = await withModel(
    answers.map((text) => ({ text })),
    { OPENAI_API_KEY: "k" },
    ["--json"],
    { meta: { model: "m" }, worker: { kind: "mock" } },
  );
  expect(run.code).toBe(0);
  expect(run.stdout.length).toBeLessThan(3_000_000);
  expect(run.result().criteria[0]?.evidence?.tail).toMatch(/the end\n$/);
}, 60_000);

test("our own files in the repo are not the worker's changes", async () => {
  const files = ["events.jsonl", "result.json", "recording.jsonl"];
  const { result } = await runRunner(place, {
    task: task(),
    args: [
      "--json",
      "--events",
      files[0] ?? "",
      "--result",
      files[1] ?? "",
      "--record",
      files[2] ?? "",
    ],
  });
  expect(result().artifacts.files).toEqual([expect.stringMatching(/^demo\//)]);
});

test("a secret shows up nowhere: events, logs, note, result, recording, output log", async () => {
  const secret = "s3cr3t/value+with=signs";
  const forms = [
    secret,
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    encodeURIComponent(secret),
  ];
  const leaking = worker({
    say: [`I found ${secret}`],
    files: { "hello.txt": "hello" },
    commands: ['echo "$THE_TOKEN"'],
    garbage: `raw ${forms.join(" ")}`,
    summary: `Done with ${secret}`,
  });
  const check = { description: "x", check: { kind: "command", command: `echo ${secret}; true` } };
  const answers = [planned(check), leaking, assessment(true, [], `ok ${secret}`)].map((text) => ({
    text,
  }));
  const { code, stdout, stderr } = await withModel(
    answers,
    { HOST_TOKEN: secret, OPENAI_API_KEY: "sk-abcdefghijklmnop" },
    [
      "--json",
      "--log-level",
      "debug",
      "--record",
      join(place.folder, "rec.jsonl"),
      "--result",
      join(place.folder, "result.json"),
    ],
    { meta: { model: "m" }, worker: { kind: "mock", env: { THE_TOKEN: "env:HOST_TOKEN" } } },
  );
  expect(code).toBe(0);
  const written = readdirSync(place.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  expect(written.length).toBeGreaterThan(3);
  const all = [stdout, stderr, ...written].join("\n");
  expect(all).toContain("***");
  for (const form of [...forms, "sk-abcdefghijklmnop"]) expect(all).not.toContain(form);
});

test("a variable that holds a word of the format hides nothing that a program has to read", async () => {
  const words = {
    LOG_LEVEL: "info",
    NODE_ENV: "test",
    LOG_FORMAT: "text",
    MODE: "worker",
  };
  const env = Object.fromEntries(Object.keys(words).map((name) => [name, `env:${name}`]));
  const runner = { meta: { kind: "mock" }, worker: { kind: "mock", env } };
  const record = join(place.folder, "rec.jsonl");
  // The harness takes only events that follow their schema.
  const first = await runRunner(place, {
    task: task(runner),
    env: words,
    args: ["--json", "--record", record],
  });
  expect(first.code).toBe(0);
  expect(first.result()).toMatchObject({
    taskId: "TASK-1",
    artifacts: { note: ".agent-runner/task-TASK-1.md" },
  });
  expect(first.events.filter(({ type }) => type === "test")).not.toHaveLength(0);
  const again = await runRunner(place, {
    task: "",
    env: words,
    args: ["--json", "--replay", record],
  });
  expect(again.events.map(({ type }) => type)).toEqual(first.events.map(({ type }) => type));
});

test("the demo worker sees a resolved variable, and nothing else of the host", async () => {
  const answers = [planned(helloCheck), worker(HELLO), assessment(true)].map((text) => ({ text }));
  const check = planned({
    description: "x",
    check: {
      kind: "command",
      command: 'test "$A" = value -a -z "$OPENAI_API_KEY" -a -z "$HOST_VALUE"',
    },
  });
  const { result } = await withModel(
    [{ text: check }, ...answers.slice(1)],
    { HOST_VALUE: "value", OPENAI_API_KEY: "sk-abcdefghijklmnop" },
    ["--json"],
    { meta: { model: "m" }, worker: { kind: "mock", env: { A: "env:HOST_VALUE" } } },
  );
  expect(result().criteria).toMatchObject([{ passed: true }]);
});

test("--meta-model wins over the task's model, which wins over the default", async () => {
  const answers = [{ text: "no" }, { text: "no" }, { text: "no" }];
  const modelOf = async (args: string[], meta: object): Promise<unknown> => {
    const model = await startScriptedOpenAi(answers);
    await runRunner(place, {
      task: task({ meta, worker: { kind: "mock" } }),
      args,
      env: { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "k" },
    });
    await model.close();
    const [first] = model.requests;
    return (first?.body as { model?: unknown } | undefined)?.model;
  };
  expect(await modelOf(["--meta-model", "a"], { model: "b" })).toBe("a");
  expect(await modelOf([], { model: "b" })).toBe("b");
  expect(await modelOf([], {})).toBe("gpt-5.2");
});

test("a workspace's own patterns are read from the file that MULTIVERSE_PATTERNS names", async () => {
  const path = join(place.folder, "patterns.yaml");
  writeFileSync(path, "version: 1\npatterns: { be_kind: { instructions: Be kind. } }\n");
  const named = worker(HELLO).replace('"decision"', '"used_patterns":["be_kind"],"decision"');
  const answers = [planned(helloCheck), named, assessment(true)].map((text) => ({ text }));
  const run = await withModel(
    answers,
    { OPENAI_API_KEY: "k", MULTIVERSE_PATTERNS: path },
    ["--json"],
    { meta: { model: "m" }, worker: { kind: "mock" } },
  );
  expect(run.code).toBe(0);
  expect(run.events.filter((event) => event.type === "log" && event.level === "warn")).toEqual([]);
});

test("--dry-run prints the resolved task and the exec plan, secrets masked, and runs nothing", async () => {
  mkdirSync(join(place.repo, "docs"));
  writeFileSync(join(place.repo, "docs/prd.md"), "Say hello.");
  const env = { MY_KEY: "env:HOST_KEY", MODE: "fast", OTHER_TOKEN: "literal-token" };
  const yaml = {
    version: 1,
    task: {
      id: "TASK-1",
      title: "Hello",
      prd: { path: "docs/prd.md" },
      test: { command: "npm test" },
    },
    runner: { worker: { kind: "mock", env } },
  };
  const before = readdirSync(place.folder, { recursive: true });
  const args = ["--dry-run", "--meta-model", "big"];
  const { code, stdout } = await runRunner(place, {
    task: yaml,
    args,
    env: { HOST_KEY: "sk-host-key-value" },
  });
  expect(code).toBe(0);
  expect(readdirSync(place.folder, { recursive: true })).toEqual(before);
  expect(stdout).not.toMatch(/sk-host-key-value|literal-token/);
  const shown = stdout
    .replaceAll(place.repo, "/repo")
    .replaceAll(process.execPath, "node")
    .replaceAll(RUNNER, "agent-runner.mjs");
  await expect(shown).toMatchFileSnapshot("golden/dry-run.txt");
});

test("--dry-run --json shows a container and the command of a real CLI", async () => {
  const yaml = {
    version: 1,
    task: { prd: { text: "x" } },
    runner: { worker: { kind: "codex-cli", model: "m-1" } },
  };
  const { stdout } = await runRunner(place, { task: yaml, args: ["--dry-run", "--json"] });
  const shown = JSON.parse(stdout) as { exec_plan: { worker: { args: string[] } } };
  expect(shown.exec_plan).toMatchObject({
    sandbox: { kind: "docker", image: "agent-runner-codex:latest" },
    worker: { command: "codex", stdin: "(the prompt)" },
  });
  expect(shown.exec_plan.worker.args).toContain("m-1");
});
