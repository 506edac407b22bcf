import { expect, test } from "vitest";
import { readTaskFile } from "./read-task-file.ts";
import { invalidTask, sayProblem } from "./say-problems.ts";

const read = (text: string) => readTaskFile(Buffer.from(text));

function accepted(text: string) {
  const { task, problems } = read(text);
  if (!task) throw new Error(problems.map((problem) => sayProblem("t", problem)).join("\n"));
  return task;
}

/** Every problem as the person sees it. */
const problemsOf = (text: string): string[] =>
  (read(text).problems ?? []).map((problem) => sayProblem("t", problem));

const MINIMAL = "version: 1\ntask: { prd: { text: do it } }\n";

test("a minimal task gets every default", () => {
  const { file, warnings } = accepted(MINIMAL);
  expect(warnings).toEqual([]);
  expect(file).toEqual({
    version: 1,
    task: {
      title: "",
      repo: ".",
      description: "",
      dependencies: [],
      wbsLevel: 0,
      phaseName: "",
      milestone: "",
      prd: { text: "do it" },
    },
    runner: {
      maxLoops: 10,
      meta: { kind: "openai-chat" },
      worker: {
        kind: "codex-cli",
        maxRunTimeSec: 1_800,
        idleTimeoutSec: 600,
        env: {},
        gateway: false,
        flags: [],
        network: "default",
        allowHosts: [],
        memory: "4g",
        cpus: 2,
      },
      budget: {},
      note: { language: "ja" },
    },
  });
});

test("version may be a string", () => {
  expect(accepted(MINIMAL.replace("1", '"1"')).file.version).toBe(1);
});

test("all problems are told at once, in the order of the file, each with line and column", () => {
  const text = [
    "version: 2",
    "task:",
    "  id: ../../x",
    "  title: [a]",
    "  wbs_level: 7",
    "runner:",
    "  max_loops: many",
    "  worker: { kind: hal, cpus: -1 }",
    "  meta: { temperature: 9 }",
  ].join("\n");
  expect(problemsOf(text)).toEqual([
    't:1:10: version: must be 1 (or "1")',
    "t:3:3: task.prd: is required: give exactly one of prd.path and prd.text",
    expect.stringMatching(/^t:3:7: task\.id: id "\.\.\/\.\.\/x" must start with a letter or digit/),
    "t:4:10: task.title: expected string, received array",
    expect.stringMatching(/^t:5:14: task\.wbs_level: /),
    "t:7:14: runner.max_loops: expected number, received string",
    expect.stringMatching(
      /^t:8:19: runner\.worker\.kind: unknown worker kind "hal"; known: codex-cli/,
    ),
    expect.stringMatching(/^t:8:30: runner\.worker\.cpus: /),
    expect.stringMatching(/^t:9:24: runner\.meta\.temperature: /),
  ]);
});

test.each([
  [
    "version: 1\ntask: { prd: {} }",
    "t:2:14: task.prd: exactly one of prd.path and prd.text is required",
  ],
  [
    "version: 1\ntask: { prd: { path: a, text: b } }",
    "t:2:14: task.prd: exactly one of prd.path and prd.text is required",
  ],
  ["task: { prd: { text: x } }", "t:1:1: version: is required and must be 1"],
  ["version: 1\ntask: nothing", "t:2:7: task: expected object, received string"],
  ["", "t:1:1: the document is empty"],
  ["# only a comment\n", "t:1:1: the document is empty"],
  ["- a\n", "t:1:1: the document must be a mapping with `version`, `task` and `runner`"],
])("%j is refused: %s", (text, problem) => {
  expect(problemsOf(text)).toEqual([problem]);
});

test.each([
  ["two documents", `${MINIMAL}---\n${MINIMAL}`, /exactly one YAML document is allowed/],
  [
    "an anchor",
    "version: 1\ntask: { title: &t x, prd: { text: y } }",
    /t:2:\d+: anchors \(&t\) are not allowed/,
  ],
  [
    "an alias",
    "version: 1\ntask: { title: &t x, prd: { text: *t } }",
    /aliases \(\*t\) are not allowed/,
  ],
  [
    "a tag",
    "version: 1\ntask: { title: !!str 1, prd: { text: y } }",
    /tags \(tag:yaml.org,2002:str\) are not allowed/,
  ],
  ["a custom tag", "version: 1\ntask: !x { prd: { text: y } }", /tags \(!x\) are not allowed/],
  [
    "a merge of an anchor",
    "a: &a {}\nversion: 1\ntask: { <<: *a, prd: { text: y } }",
    /aliases \(\*a\) are not allowed/,
  ],
  ["a %YAML directive", `%YAML 1.1\n---\n${MINIMAL}`, /directives/],
  ["a %TAG directive", `%TAG !e! tag:x,2026:\n---\n${MINIMAL}`, /directives/],
  ["a duplicate key", `${MINIMAL}version: 1\n`, /t:3:1: Map keys must be unique/],
  ["broken YAML", "version: 1\ntask: { prd: { text: 'x }", /^t:\d+:\d+: /],
  ["tabs as indentation", "version: 1\ntask:\n\tprd: x", /^t:3:\d+: /],
  ["nesting without end", `version: 1\ntask: ${"[".repeat(20_000)}`, /./],
  ["200 levels", `version: 1\ntask: ${"[".repeat(200)}${"]".repeat(200)}`, /nested/],
])("%s is refused", (_, text, message) => {
  const problems = problemsOf(text);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join("\n")).toMatch(message);
});

test("a task over 1 MiB is refused without being parsed", () => {
  expect(problemsOf(`${MINIMAL}# ${"x".repeat(2 * 1_048_576)}`)).toEqual([
    "t: the task is larger than 1048576 bytes (1 MiB)",
  ]);
});

test("a task that is not UTF-8 is refused", () => {
  expect(readTaskFile(Uint8Array.from([0x61, 0xff, 0xfe])).problems).toMatchObject([
    { message: "the task is not valid UTF-8 text" },
  ]);
});

test("unknown keys are warnings that name the nearest known one", () => {
  const text = [
    "version: 1",
    "task: { titel: x, prd: { text: y } }",
    "runner:",
    "  max-loops: 3",
    "  worker: { max_runtime_sec: 4, colour: red, env: { ANYTHING: goes } }",
    "extra: 1",
  ].join("\n");
  expect(accepted(text).warnings.map((warning) => sayProblem("t", warning))).toEqual([
    "t:2:9: unknown key task.titel; did you mean title?",
    "t:4:3: unknown key runner.max-loops; did you mean max_loops?",
    "t:5:13: unknown key runner.worker.max_runtime_sec; did you mean max_run_time_sec?",
    "t:5:33: unknown key runner.worker.colour",
    "t:6:1: unknown key extra",
  ]);
});

test("a key named __proto__ is an unknown key and nothing else", () => {
  const { file, warnings } = accepted(
    "version: 1\ntask: { __proto__: { title: evil }, prd: { text: y } }",
  );
  expect(file.task.title).toBe("");
  expect(warnings).toHaveLength(1);
});

test("the older runner.meta.max_loops is read, and the newer place wins", () => {
  expect(accepted(`${MINIMAL}runner: { meta: { max_loops: 4 } }`).file.runner.maxLoops).toBe(4);
  expect(
    accepted(`${MINIMAL}runner: { max_loops: 2, meta: { max_loops: 4 } }`).file.runner.maxLoops,
  ).toBe(2);
});

const BUILDER = `
task:
  id: golden-todo-001
  title: TODO
  instructions: |
    Make it.
  project: { root_dir: /somewhere }
runner:
  meta: { model: gpt-4.1, temperature: 0.2 }
  worker: { type: docker_codex_cli }
`;

test("the Task Builder form is mapped, and needs no version", () => {
  const { file, warnings } = accepted(BUILDER);
  expect(warnings).toEqual([]);
  expect(file.task).toMatchObject({
    id: "golden-todo-001",
    repo: "/somewhere",
    prd: { text: "Make it.\n" },
  });
  expect(file.runner).toMatchObject({
    meta: { model: "gpt-4.1", temperature: 0.2 },
    worker: { kind: "codex-cli" },
  });
});

test("a problem in the Task Builder form is shown where the person wrote it", () => {
  expect(
    problemsOf(BUILDER.replace("docker_codex_cli", "docker_hal").replace("/somewhere", "[1]")),
  ).toEqual([
    "t:7:24: task.project.root_dir: expected string, received array",
    expect.stringMatching(/^t:10:19: runner\.worker\.type: unknown worker kind "docker_hal"/),
  ]);
});

test("the tooling section is read in snake_case", () => {
  const { tooling } = accepted(`${MINIMAL}
runner:
  tooling:
    active_profile: p
    profiles:
      - id: p
        categories:
          worker: { fallback_on_rate_limit: false, cooldown_sec: 5, candidates: [ { tool: mock, cli_path: /x, env: { MY_KEY: v } } ] }
`);
  expect(tooling).toMatchObject({
    activeProfile: "p",
    profiles: [
      {
        categories: {
          worker: {
            fallbackOnRateLimit: false,
            cooldownSec: 5,
            candidates: [{ tool: "mock", cliPath: "/x", env: { MY_KEY: "v" } }],
          },
        },
      },
    ],
  });
});

test("a mistake in the tooling section is told with its place", () => {
  expect(
    problemsOf(
      `${MINIMAL}runner: { tooling: { profiles: [ { id: p, categories: { worker: { cooldown_sec: soon, candidates: [] } } } ] } }`,
    ),
  ).toEqual([
    expect.stringMatching(
      /^t:3:\d+: runner\.tooling\.profiles\.0\.categories\.worker\.cooldown_sec: expected number/,
    ),
    expect.stringMatching(
      /^t:3:\d+: runner\.tooling\.profiles\.0\.categories\.worker\.candidates: /,
    ),
  ]);
});

test("one error carries all problems", () => {
  const error = invalidTask("task.yaml", read("version: 3\ntask: {}\n").problems ?? []);
  expect(error.code).toBe("INVALID_TASK");
  expect(error.message).toMatch(
    /^the task has 2 problems:\n {2}task\.yaml:1:10: .*\n {2}task\.yaml:2:7: /,
  );
});

test("mistyped names in the tooling are told too; variables and tool settings are anybody's names", () => {
  const { warnings } = accepted(
    `${MINIMAL}runner:
  tooling:
    activ_profile: a
    profiles:
      - id: a
        categories:
          worker:
            candidates:
              - { tool: mock, wieght: 2, cli_path: x, env: { anyName: y }, tool_specific: { z: 1 } }
`,
  );
  expect(warnings.map((warning) => sayProblem("t", warning))).toEqual([
    "t:5:5: unknown key runner.tooling.activ_profile; did you mean active_profile?",
    "t:11:31: unknown key runner.tooling.profiles.0.categories.worker.candidates.0.wieght; did you mean weight?",
  ]);
});

test.each(["runner:", "runner:\n  worker:\n  meta:\n  budget:\n  note:\n  tooling:", "runner: {}"])(
  "%j means the defaults",
  (runner) => {
    const minimal = "version: 1\ntask: { prd: { text: x } }\n";
    const whole = readTaskFile(Buffer.from(minimal)).task?.file;
    expect(readTaskFile(Buffer.from(`${minimal}${runner}\n`)).task?.file).toEqual(whole);
  },
);

test("an empty value in place of what is required is said to be missing", () => {
  const { problems } = readTaskFile(Buffer.from("version: 1\ntask:\n  prd:\n"));
  expect(problems).toMatchObject([
    { path: "task.prd", message: expect.stringContaining("is required") },
  ]);
});
