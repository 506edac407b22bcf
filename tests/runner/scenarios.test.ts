import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunResult } from "@multiverse/protocol/run-result";
import { openAiError, startScriptedOpenAi } from "../harness/scripted-openai.ts";
import type { Script, ScriptedAnswer } from "../harness/scripted-openai.ts";
import { newPlace, runRunner, statesOf } from "./harness/agent-runner.ts";
import type { Ended, Place } from "./harness/agent-runner.ts";
import {
  HELLO,
  assessment,
  decision,
  helloCheck,
  planned,
  worker,
} from "./harness/model-answers.ts";

const places: Place[] = [];
afterAll(() => places.forEach(({ remove }) => remove()));

const task = (change: object = {}, runner: object = {}): object => ({
  version: 1,
  task: {
    id: "TASK-1",
    title: "Hello",
    prd: { text: "Write hello.txt that says hello." },
    ...change,
  },
  runner: {
    max_loops: 3,
    meta: { kind: "openai-chat", model: "scripted" },
    worker: { kind: "mock" },
    ...runner,
  },
});

interface Played extends Ended {
  readonly place: Place;
  readonly requests: number;
  readonly asked: unknown[];
}

/** One run of the program as it ships against a model that says what the script says. */
async function play(
  script: Script,
  yaml: object = task(),
  env: Record<string, string> = {},
): Promise<Played> {
  const place = newPlace();
  places.push(place);
  const model = await startScriptedOpenAi(script);
  try {
    const settings = {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-scripted-key-0123456789",
      ...env,
    };
    const ended = await runRunner(place, { task: yaml, env: settings });
    return {
      ...ended,
      place,
      requests: model.requests.length,
      asked: model.requests.map(({ body }) => body),
    };
  } finally {
    await model.close();
  }
}

const says = (...texts: string[]): ScriptedAnswer[] => texts.map((text) => ({ text }));

function expectEnd(played: Played, code: number, result: Partial<RunResult>): RunResult {
  expect(played.result()).toMatchObject(result);
  expect(played.code).toBe(code);
  expect(played.events.filter(({ type }) => type === "finished")).toHaveLength(1);
  expect(existsSync(join(played.place.repo, ".agent-runner/task-TASK-1.md"))).toBe(true);
  return played.result();
}

const GOOD = [planned(helloCheck), worker(HELLO), assessment(true)];

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

test.concurrent("garbage three times", async () => {
  const played = await play(
    says(
      "Sure! I will help.",
      "[1, 2",
      '{"type":"plan_task","payload":{"acceptance_criteria":[]}}',
    ),
  );
  const result = expectEnd(played, 1, { state: "FAILED", reason: "meta_error", metaCalls: 1 });
  expect(result.usage).toMatchObject({ inputTokens: 3, outputTokens: 3 });
  expect(result.hint).toMatch(/stronger model|--record/);
  expect(played.requests).toBe(3);
  expect(JSON.stringify(played.asked[1])).toContain("Your answer could not be used");
});

test.concurrent("prose around JSON, fences, and YAML are read", async () => {
  const yaml = [
    "type: next_action",
    "version: 1",
    "payload:",
    "  decision: { action: run_worker, reason: go }",
    "  worker_call:",
    "    prompt: |",
    "      Do it.",
    "      ```demo",
    `      ${JSON.stringify(HELLO)}`,
    "      ```",
  ].join("\n");
  const played = await play(
    says(
      `Here is the plan:\n\n${planned(helloCheck)}\n\nLet me know!`,
      `Model: scripted\n--------\n${yaml}`,
      `\`\`\`json\n${assessment(true)}\n\`\`\``,
    ),
  );
  expectEnd(played, 0, { state: "COMPLETE" });
  expect(played.requests).toBe(3);
});

test.concurrent("the older flat form is read", async () => {
  const flat = JSON.stringify({ type: "plan_task", acceptance_criteria: [helloCheck] });
  const older = JSON.stringify({
    type: "completion_assessment",
    all_criteria_satisfied: true,
    details: { passed_criteria: ["AC-1"], remaining_risks: ["none known"] },
  });
  const played = await play(says(flat, worker(HELLO), older));
  expectEnd(played, 0, { state: "COMPLETE" });
  expect(readFileSync(join(played.place.repo, ".agent-runner/task-TASK-1.md"), "utf8")).toContain(
    "none known",
  );
});

test.concurrent("500, 500, then 200", async () => {
  const failure = { status: 500, body: openAiError("server_error", "oops") };
  const played = await play([failure, failure, ...says(...GOOD)]);
  expectEnd(played, 0, { state: "COMPLETE" });
  expect(
    played.events.filter((event) => event.type === "meta" && event.phase === "retry"),
  ).toHaveLength(2);
});

test.concurrent("429 with Retry-After is waited out", async () => {
  const limit = {
    status: 429,
    headers: { "retry-after": "1" },
    body: openAiError("rate_limit_exceeded", "slow down"),
  };
  const played = await play([limit, ...says(...GOOD)]);
  expectEnd(played, 0, { state: "COMPLETE" });
  expect(played.requests).toBe(4);
});

test.concurrent("429 for longer than anybody waits holds the run up until then", async () => {
  const limit = {
    status: 429,
    headers: { "retry-after": "3600" },
    body: openAiError("rate_limit_exceeded", "slow down"),
  };
  const played = await play([limit]);
  const result = expectEnd(played, 1, {
    status: "blocked",
    state: "FAILED",
    reason: "rate_limited",
  });
  expect(Date.parse(result.retryAt ?? "")).toBeGreaterThan(Date.now() + 3_000_000);
});

test.concurrent("401 is an error at once, with what to check", async () => {
  const played = await play([
    {
      status: 401,
      body: openAiError(
        "invalid_api_key",
        "Incorrect API key provided: sk-scripted-key-0123456789",
      ),
    },
  ]);
  const result = expectEnd(played, 1, { state: "FAILED", reason: "meta_error" });
  expect(result.hint).toContain("OPENAI_API_KEY");
  expect(played.requests).toBe(1);
  expect(played.stdout + played.stderr).not.toContain("sk-scripted-key");
});

test.concurrent(
  "a model that hangs past the time-out",
  async () => {
    const played = await play(() => ({ hang: true }), task(), { META_TIMEOUT_SEC: "0.5" });
    const result = expectEnd(played, 1, { state: "FAILED", reason: "meta_error" });
    expect(result.hint).toBeTruthy();
    expect(
      played.events.filter((event) => event.type === "meta" && event.phase === "retry"),
    ).toHaveLength(3);
  },
  30_000,
);

test.concurrent("a truncated body is tried again", async () => {
  const played = await play([{ text: planned(helloCheck), cutAfterBytes: 40 }, ...says(...GOOD)]);
  expectEnd(played, 0, { state: "COMPLETE" });
  expect(played.requests).toBe(4);
});

test.concurrent(
  "an answer of 10 MB is refused and asked for again",
  async () => {
    const huge = `{"type":"plan_task","payload":{"acceptance_criteria":[{"description":"${"x".repeat(10_000_000)}"}]}}`;
    const played = await play(says(huge, huge, huge));
    const result = expectEnd(played, 1, { state: "FAILED", reason: "meta_error" });
    expect(result.summary).toContain("4 MiB");
    expect(played.stdout.length).toBeLessThan(100_000);
  },
  30_000,
);

test.concurrent("no key for the model: it says which one is missing", async () => {
  const place = newPlace();
  places.push(place);
  const { code, result } = await runRunner(place, { task: task() });
  expect(code).toBe(1);
  expect(result()).toMatchObject({ state: "FAILED", reason: "meta_error" });
  expect(result().hint).toContain("OPENAI_API_KEY");
});

test.concurrent(
  "a model that calls everything done while a check fails never gets COMPLETE",
  async () => {
    const all = assessment(true, [{ id: "AC-1", status: "passed", comment: "surely" }]);
    const played = await play(
      (_, index) => ({
        text:
          index === 0
            ? planned(helloCheck)
            : index % 2 === 1
              ? worker({ files: { "hello.txt": `${index}` } })
              : all,
      }),
      task({}, { max_loops: 2 }),
    );
    const result = expectEnd(played, 1, { state: "FAILED", reason: "max_loops", loops: 2 });
    expect(result.criteria).toMatchObject([{ passed: false, evidence: { exitCode: 1 } }]);
  },
);

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
    places.push(place);
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
