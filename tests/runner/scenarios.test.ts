import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScriptedOpenAi } from "../harness/scripted-openai.ts";
import { newPlace, runRunner, statesOf } from "./harness/agent-runner.ts";
import {
  HELLO,
  assessment,
  decision,
  helloCheck,
  planned,
  worker,
} from "./harness/model-answers.ts";
import { GOOD, expectEnd, keep, play, says, task } from "./harness/scenario.ts";

test.concurrent("success in one loop", async () => {
  const played = await play(says(...GOOD));
  const result = expectEnd(played, 0, {
    status: "succeeded",
    state: "COMPLETE",
    reason: null,
    loops: 0,
    workerRuns: 1,
    metaCalls: 3,
  });
  expect(result.criteria).toMatchObject([
    { id: "AC-1", passed: true, evidence: { command: "grep -q hello hello.txt", exitCode: 0 } },
  ]);
  expect(result.artifacts).toEqual({ files: ["hello.txt"], note: ".agent-runner/task-TASK-1.md" });
  expect(result.usage).toMatchObject({ inputTokens: 3, outputTokens: 3 });
  expect(statesOf(played.events)).toEqual(["PLANNING", "RUNNING", "VALIDATING", "COMPLETE"]);
  expect(readFileSync(join(played.place.repo, "hello.txt"), "utf8")).toBe("hello\n");
});

test.concurrent("a failing test, then a fix in the second loop", async () => {
  const played = await play(
    says(
      planned({ description: "hello.txt is there" }),
      worker({ files: { "hello.txt": "bye\n" } }),
      assessment(true),
      worker(HELLO),
      assessment(true),
    ),
    task({ test: { command: "grep hello hello.txt" } }),
  );
  const result = expectEnd(played, 0, { state: "COMPLETE", loops: 1, workerRuns: 2 });
  expect(result.validation).toMatchObject({
    overall: "passed",
    commands: [{ command: "grep hello hello.txt", exitCode: 0 }],
  });
  expect(played.events.filter(({ type }) => type === "test")).toMatchObject([
    { exitCode: 1 },
    { exitCode: 0 },
  ]);
  expect(JSON.stringify(played.asked[3])).toContain('exit_code\\":1'); // the failure is in the next request
});

test.concurrent("an assessment that is not satisfied twice", async () => {
  const no = assessment(false, [{ id: "AC-1", status: "failed", comment: "not friendly enough" }]);
  const edit = (n: number): string => worker({ files: { "hello.txt": `hello ${n}\n` } });
  const played = await play(
    says(
      planned({ description: "It is friendly" }),
      edit(1),
      no,
      edit(2),
      no,
      edit(3),
      assessment(true),
    ),
  );
  expectEnd(played, 0, { state: "COMPLETE", loops: 2, workerRuns: 3 });
  expect(JSON.stringify(played.asked[3])).toContain("not friendly enough");
});

test.concurrent("ask_human", async () => {
  const question = { text: "Which language?", options: ["en", "ja"] };
  const played = await play(
    says(planned({ description: "x" }), decision("ask_human", "unclear", { question })),
  );
  expectEnd(played, 1, { status: "blocked", state: "NEEDS_REVIEW", reason: null, question });
  expect(statesOf(played.events).at(-1)).toBe("NEEDS_REVIEW");
});

test.concurrent("abort", async () => {
  const played = await play(
    says(planned({ description: "x" }), decision("abort", "The repo is empty.")),
  );
  const result = expectEnd(played, 1, { status: "failed", state: "FAILED", reason: "aborted" });
  expect(result.summary).toContain("The repo is empty.");
  expect(result.hint).toBeTruthy();
});

test.concurrent("an unknown action", async () => {
  const played = await play(says(planned({ description: "x" }), decision("dance")));
  const result = expectEnd(played, 1, { state: "FAILED", reason: "unknown_action" });
  expect(result.hint).toMatch(/--meta-model|runner\.meta\.model/);
});

test.concurrent("a worker that crashes is reported to the meta-agent, which decides", async () => {
  const played = await play(
    says(
      planned(helloCheck),
      worker({ fail: "no idea", exit_code: 3 }),
      assessment(false),
      worker(HELLO),
      assessment(true),
    ),
  );
  expectEnd(played, 0, { state: "COMPLETE", workerRuns: 2 });
  expect(JSON.stringify(played.asked[3])).toContain("no idea");
});

test.concurrent(
  "three runs without a change and the same open criteria end with no_progress",
  async () => {
    const played = await play(
      (_, index) => ({
        text:
          index === 0
            ? planned({ description: "x" })
            : index % 2 === 1
              ? worker({ summary: "Nothing to do." })
              : assessment(false),
      }),
      task({}, { max_loops: 9 }),
    );
    expectEnd(played, 1, { state: "FAILED", reason: "no_progress", workerRuns: 3 });
  },
);

test.concurrent("a budget of tokens ends the run", async () => {
  const played = await play(
    (_, index) => ({
      text:
        index === 0
          ? planned({ description: "x" })
          : index % 2 === 1
            ? worker({ files: { a: `${index}` } })
            : assessment(false),
    }),
    task({}, { max_loops: 9, budget: { max_tokens: 8 } }),
  );
  expectEnd(played, 1, { state: "FAILED", reason: "budget_exceeded" });
});

test.concurrent("a budget of minutes cuts a hanging worker short", async () => {
  const played = await play(
    says(planned({ description: "x" }), worker({ hang: true })),
    task({}, { budget: { max_minutes: 0.03 } }),
  );
  const result = expectEnd(played, 1, {
    state: "FAILED",
    status: "failed",
    reason: "budget_exceeded",
  });
  expect(result.summary).toContain("0.03 minutes");
});

test.concurrent(
  "what a worker call asks for beyond the task file is dropped with a warning",
  async () => {
    const wide = worker(HELLO, {
      cli_path: "/bin/sh",
      flags: ["--yolo"],
      env: { LD_PRELOAD: "x" },
      workdir: "/etc",
      worker_type: "mock",
    });
    const played = await play(says(planned(helloCheck), wide, assessment(true)));
    expectEnd(played, 0, { state: "COMPLETE" });
    const warnings = played.events.flatMap((event) =>
      event.type === "log" && event.level === "warn" ? [event.message] : [],
    );
    expect(warnings).toEqual([
      expect.stringContaining("cli_path"),
      expect.stringContaining("flags"),
      expect.stringContaining("LD_PRELOAD"),
      expect.stringContaining("workdir"),
    ]);
  },
);

test.concurrent("named patterns are put into the worker's prompt", async () => {
  const check = worker({ ...HELLO }, {});
  const named = check.replace(
    '"decision"',
    '"used_patterns":["ensure_git_clean","made_up"],"decision"',
  );
  const played = await play(says(planned(helloCheck), named, assessment(true)));
  expectEnd(played, 0, { state: "COMPLETE" });
  expect(played.events).toContainEqual(
    expect.objectContaining({ type: "log", level: "warn", fields: { patterns: ["made_up"] } }),
  );
});

test.concurrent(
  "a test file that the worker deletes is reported to the meta-agent and in the result",
  async () => {
    const place = newPlace();
    keep(place);
    writeFileSync(join(place.repo, "old.test.js"), "test");
    const model = await startScriptedOpenAi(
      says(planned(helloCheck), worker({ ...HELLO, delete: ["old.test.js"] }), assessment(true)),
    );
    const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "k" };
    const { result } = await runRunner(place, { task: task(), env });
    await model.close();
    expect(result().validation.warnings).toEqual(['test file deleted: "old.test.js"']);
    expect(JSON.stringify(model.requests[2]?.body)).toContain("old.test.js");
  },
);
