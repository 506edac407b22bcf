import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newPlace, runRunner } from "./harness/agent-runner.ts";
import type { Place } from "./harness/agent-runner.ts";

let place: Place;
beforeEach(() => (place = newPlace()));
afterEach(() => place.remove());

const MOCK = "runner: { meta: { kind: mock }, worker: { kind: mock } }\n";
const task = (fields: string): string => `version: 1\ntask: { ${fields} }\n${MOCK}`;
const GOOD = task("prd: { text: x }");

/** Everything below the place, so that a test can say that nothing was written. */
const tree = (): string[] =>
  readdirSync(place.folder, { recursive: true, encoding: "utf8" }).sort();

test.each<[what: string, yaml: string, message: RegExp]>([
  ["a wrong version", GOOD.replace("version: 1", "version: 2"), /<stdin>:1:10: version: must be 1/],
  ["a missing prd", task("title: x"), /task\.prd: is required/],
  ["two documents", `${GOOD}---\n${GOOD}`, /exactly one YAML document/],
  ["anchors", task("title: &a x, prd: { text: *a }"), /anchors \(&a\)/],
  ["an id that is a path", task("id: ../../x, prd: { text: x }"), /id "\.\.\/\.\.\/x"/],
  ["a PRD path that leaves the repo", task("prd: { path: ../../etc/passwd }"), /leaves the repo/],
  [
    "a PRD path that leaves the repo by a link",
    task("prd: { path: link/outside.md }"),
    /leaves the repo/,
  ],
  [
    "a missing variable",
    GOOD.replace(
      "worker: { kind: mock }",
      'worker: { kind: mock, env: { A: "env:NOT_SET_ANYWHERE" } }',
    ),
    /NOT_SET_ANYWHERE is not set/,
  ],
  ["2 MiB of YAML", `${GOOD}# ${"x".repeat(2 * 1_048_576)}`, /larger than 1048576 bytes/],
  ["a repo that is a file", task("repo: a-file, prd: { text: x }"), /is not a directory/],
  ["a repo that does not exist", task("repo: nowhere, prd: { text: x }"), /does not exist/],
  ["a repo that cannot be written", task("repo: /proc, prd: { text: x }"), /cannot be written/],
  ["an empty file", "", /the document is empty/],
  [
    "a test folder that leaves the repo",
    task("prd: { text: x }, test: { command: ls, cwd: ../.. }"),
    /leaves the repo/,
  ],
])(
  "%s is refused: exit 1, one message, nothing written but the error and `finished`",
  async (_, yaml, message) => {
    writeFileSync(join(place.repo, "a-file"), "");
    writeFileSync(join(place.folder, "outside.md"), "secret plans");
    symlinkSync(place.folder, join(place.repo, "link"));
    const before = tree();
    const { code, stderr, events, result } = await runRunner(place, {
      task: yaml,
      args: ["--json"],
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.match(/agent-runner: /g)).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(["log", "log", "finished"]);
    expect(result()).toMatchObject({
      status: "failed",
      state: "FAILED",
      reason: "invalid_task",
      artifacts: { files: [], note: null },
    });
    expect(result().summary).toMatch(message);
    expect(result().hint).toBeTruthy();
    expect(tree()).toEqual(before);
  },
);

test("all problems of a task come in one message", async () => {
  const yaml = "version: 7\ntask: { id: TASK-9, title: [1], wbs_level: x }\n";
  const { stderr, result } = await runRunner(place, { task: yaml });
  expect(stderr).toContain("the task has 4 problems:");
  expect(stderr.match(/<stdin>:\d+:\d+: /g)).toHaveLength(4);
  expect(result().taskId).toBe("TASK-9");
});

test("problems of the host and mistyped names are told together with problems of the text", async () => {
  const yaml = [
    "version: 2",
    "task: { titel: x, repo: nowhere, prd: { path: ../x, text: y }, test: { command: x, cwd: .. } }",
    "runner: { max_loops: -1, worker: { kind: mock, env: { A: 'env:NOT_SET_HERE' } } }",
  ].join("\n");
  const { code, stderr } = await runRunner(place, { task: yaml });
  expect(code).toBe(1);
  expect(stderr).toContain("the task has 6 problems:");
  expect(stderr).toMatch(/<stdin>:1:10: version: must be 1/);
  expect(stderr).toMatch(/<stdin>:2:25: task.repo: the repo ".*nowhere" does not exist/);
  expect(stderr).toMatch(/<stdin>:2:\d+: task.prd: exactly one of/);
  expect(stderr).toMatch(/<stdin>:2:\d+: task.test.cwd: ".." leaves the repo/);
  expect(stderr).toMatch(/<stdin>:3:\d+: runner.max_loops: /);
  expect(stderr).toMatch(/<stdin>:3:\d+: runner.worker.env.A: .*NOT_SET_HERE is not set/);
  expect(stderr).toMatch(/warning: <stdin>:2:9: unknown key task.titel; did you mean title\?/);
});

test("a refused task is reported to --events and --result too", async () => {
  const files = mkdtempSync(join(place.folder, "out-"));
  const args = ["--events", join(files, "events.jsonl"), "--result", join(files, "result.json")];
  const { code, stdout } = await runRunner(place, { task: "version: 3", args });
  expect(code).toBe(1);
  expect(stdout).not.toContain('{"v":1');
  const lines = readFileSync(join(files, "events.jsonl"), "utf8").trimEnd().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    type: "finished",
    result: { reason: "invalid_task" },
  });
  expect(JSON.parse(readFileSync(join(files, "result.json"), "utf8"))).toMatchObject({
    reason: "invalid_task",
    status: "failed",
  });
});

test.each([
  [["--nonsense"], /--nonsense/],
  [["--log-level", "loud"], /--log-level must be one of debug, info, warn, error/],
  [["--task"], /--task/],
  [["stray"], /stray/],
  [["--task", "/nowhere/task.yaml"], /cannot be read \(ENOENT\)/],
  [["--replay", "/nowhere/recording"], /not a usable recording/],
  [["--events", "/proc/none/events.jsonl"], /cannot write/],
])("%j is refused with a message", async (args, message) => {
  const { code, stderr } = await runRunner(place, { task: GOOD, args });
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(existsSync(join(place.repo, ".agent-runner"))).toBe(false);
});

test("a program that asked for --json gets `finished` even where another argument is wrong", async () => {
  for (const args of [
    ["--json", "--nonsense"],
    ["--json", "--events", "/nowhere/events.jsonl"],
  ]) {
    const { code, result } = await runRunner(place, { task: GOOD, args });
    expect(code).toBe(1);
    expect(result()).toMatchObject({ state: "FAILED", reason: "invalid_task" });
  }
});

test("a secret in a refused task is not repeated", async () => {
  const env = { MY_API_KEY: "sk-very-secret-value" };
  const { stderr, stdout } = await runRunner(place, {
    task: task("id: sk-very-secret-value/x, prd: { text: x }"),
    env,
  });
  expect(stderr).toContain("must start with a letter");
  expect(stderr + stdout).not.toContain("sk-very-secret-value");
});

test("a note that cannot be written is a warning, and what stands in its place is left alone", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
  symlinkSync(elsewhere, join(place.repo, ".agent-runner"));
  const { code, result } = await runRunner(place, { task: GOOD });
  expect(code).toBe(0);
  expect(result()).toMatchObject({ state: "COMPLETE", artifacts: { note: null } });
  expect(result().validation.warnings).toEqual([
    expect.stringContaining("the note could not be written"),
  ]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("unknown keys are warnings in the events and do not stop the run", async () => {
  const { code, events } = await runRunner(place, {
    task: GOOD.replace("runner:", "runer: {}\nrunner:"),
  });
  expect(code).toBe(0);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "log",
      level: "warn",
      message: "<stdin>:3:1: unknown key runer; did you mean runner?",
    }),
  );
});

test("--version and --help", async () => {
  expect((await runRunner(place, { task: "", args: ["--version"] })).stdout).toMatch(
    /^\d+\.\d+\.\d+\n$/,
  );
  const { stdout, code } = await runRunner(place, { task: "", args: ["--help"] });
  expect(code).toBe(0);
  for (const option of [
    "--meta-model",
    "--task",
    "--json",
    "--events",
    "--result",
    "--record",
    "--replay",
    "--dry-run",
    "--log-level",
    "--log-format",
  ]) {
    expect(stdout).toContain(option);
  }
});
