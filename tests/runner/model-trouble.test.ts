import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAiError } from "../harness/scripted-openai.ts";
import { newPlace, runRunner } from "./harness/agent-runner.ts";
import { HELLO, assessment, helloCheck, planned, worker } from "./harness/model-answers.ts";
import { GOOD, expectEnd, keep, play, says, task } from "./harness/scenario.ts";

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
  const result = expectEnd(played, 1, { state: "FAILED", reason: "login_missing" });
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
  keep(place);
  const { code, result } = await runRunner(place, { task: task() });
  expect(code).toBe(1);
  expect(result()).toMatchObject({ state: "FAILED", reason: "login_missing" });
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
