import { expect, test } from "vitest";
import type { RunReason } from "@multiverse/protocol/run-result";
import { assessed, criterion, decide } from "./harness/fake-ports.ts";
import type { Assessment, PlanAnswer, Script } from "./harness/fake-ports.ts";
import { failed, run } from "./harness/run.ts";

test("a worker run that passes its assessment ends COMPLETE", async () => {
  const { result, events, isOpen } = await run({});
  expect(result).toMatchObject({
    status: "succeeded",
    state: "COMPLETE",
    reason: null,
    summary: "all done",
    loops: 0,
  });
  expect(result.validation.overall).toBe("passed");
  expect(events.filter(({ type }) => type === "state")).toEqual([
    { type: "state", from: "PENDING", to: "PLANNING" },
    { type: "state", from: "PLANNING", to: "RUNNING" },
    { type: "state", from: "RUNNING", to: "VALIDATING" },
    { type: "state", from: "VALIDATING", to: "COMPLETE" },
  ]);
  expect(isOpen()).toBe(false);
});

test("max_loops: N allows N returns to RUNNING and so N + 1 validations", async () => {
  const { result, events, context } = await run({ assess: [assessed(false)] }, { maxLoops: 2 });
  expect(result).toMatchObject({ state: "FAILED", reason: "max_loops", loops: 2 });
  expect(context.validations).toBe(3);
  expect(
    events.filter((e) => e.type === "state" && e.from === "VALIDATING" && e.to === "RUNNING"),
  ).toHaveLength(2);
});

test("claims of completion that never lead to a worker run are bounded by max_loops", async () => {
  const { result, calls } = await run(
    { next: [decide("mark_complete")], assess: [assessed(false)] },
    { maxLoops: 4 },
  );
  expect(result).toMatchObject({ state: "FAILED", reason: "max_loops", workerRuns: 0 });
  expect(calls.filter((name) => name === "nextAction")).toHaveLength(5);
});

test("a failing test command keeps a run from COMPLETE until it exits 0", async () => {
  const script: Script = { check: (_, n) => (n === 1 ? 1 : 0) };
  const { result } = await run(script, { test: { command: "npm test", cwd: "." } });
  expect(result).toMatchObject({ state: "COMPLETE", loops: 1, workerRuns: 2 });
  expect(result.validation.commands).toEqual([{ command: "npm test", exitCode: 0, durationMs: 1 }]);
});

test("checks run in the order of the criteria, then the test, then the assessment", async () => {
  const plan: PlanAnswer = {
    acceptanceCriteria: [criterion("AC-1", "one"), criterion("AC-2"), criterion("AC-3", "three")],
  };
  const { calls } = await run({ plan }, { test: { command: "test", cwd: "." } });
  const after = calls.slice(calls.indexOf("run") + 1).filter((name) => name !== "look");
  expect(after).toEqual(["check one", "check three", "check test", "assess", "close"]);
});

test("a check shared by criteria runs once a validation", async () => {
  const plan: PlanAnswer = {
    acceptanceCriteria: [criterion("AC-1", "same"), criterion("AC-2", "same")],
  };
  const { calls, result } = await run({ plan });
  expect(calls.filter((name) => name === "check same")).toHaveLength(1);
  expect(result.criteria.map(({ evidence }) => evidence?.command)).toEqual(["same", "same"]);
});

test("three worker runs that change nothing and leave the same criteria open end with no_progress", async () => {
  const { result } = await run({ assess: [assessed(false)], changes: [[]] }, { maxLoops: 50 });
  expect(result).toMatchObject({ state: "FAILED", reason: "no_progress", workerRuns: 3 });
});

test("a changed file or another failing criterion is progress", async () => {
  const plan: PlanAnswer = { acceptanceCriteria: [criterion("AC-1"), criterion("AC-2")] };
  const by = (open: string): Assessment =>
    assessed(
      false,
      ["AC-1", "AC-2"].map((id) => ({
        id,
        status: id === open ? "failed" : "passed",
        comment: "",
      })),
    );
  const turning = await run(
    { plan, assess: [by("AC-1"), by("AC-1"), by("AC-2"), by("AC-2"), by("AC-1")], changes: [[]] },
    { maxLoops: 4 },
  );
  expect(turning.result.reason).toBe("max_loops");
  const changing = await run(
    { assess: [assessed(false)], changes: [[], [], [], [], ["x"]] },
    { maxLoops: 2 },
  );
  expect(changing.result.reason).toBe("max_loops");
});

test.each([
  ["tokens", { maxTokens: 40 }],
  ["money", { maxUsd: 0.025 }],
  ["time", { maxMinutes: 0.05 }],
])("a budget of %s that is used up ends the run", async (_, budget) => {
  const { result } = await run({ assess: [assessed(false)] }, { maxLoops: 50, budget });
  expect(result).toMatchObject({ state: "FAILED", status: "failed", reason: "budget_exceeded" });
  expect(result.hint).toContain("runner.budget");
});

test("work that is done is COMPLETE even where the last call used up the budget", async () => {
  const { result } = await run({}, { budget: { maxTokens: 60 } });
  expect(result).toMatchObject({ state: "COMPLETE", usage: { inputTokens: 40, outputTokens: 20 } });
});

test("ask_human ends the run blocked, with the question", async () => {
  const next = [{ ...decide("ask_human"), question: { text: "Which?", options: ["A", "B"] } }];
  const { result } = await run({ next });
  expect(result).toMatchObject({
    status: "blocked",
    state: "NEEDS_REVIEW",
    reason: null,
    question: { text: "Which?", options: ["A", "B"] },
  });
});

test.each<[string, Script, RunReason]>([
  ["abort", { next: [decide("abort", "no way")] }, "aborted"],
  ["an unknown action", { next: [decide("dance")] }, "unknown_action"],
  ["a meta-agent that fails to plan", { plan: failed("META_BAD_ANSWER") }, "meta_error"],
  ["a meta-agent that fails to decide", { next: [failed("META_UNAVAILABLE")] }, "meta_error"],
  ["a meta-agent that fails to assess", { assess: [failed("META_TIMEOUT")] }, "meta_error"],
  ["a sandbox that does not start", { open: failed("DOCKER_UNAVAILABLE") }, "sandbox_error"],
  ["a missing login", { open: failed("LOGIN_MISSING") }, "login_missing"],
  [
    "a login that the CLI finds missing",
    { runs: [{ failure: { kind: "login", message: "log in", retryAt: null } }] },
    "login_missing",
  ],
  ["a sandbox that is too small from the start", { open: failed("OUT_OF_MEMORY") }, "oom"],
  [
    "a worker that ran out of memory",
    { runs: [{ failure: { kind: "oom", message: "out of memory", retryAt: null } }] },
    "oom",
  ],
  ["a limit that is no size", { open: failed("INVALID_INPUT") }, "invalid_task"],
  [
    "a sandbox lost in a check",
    {
      plan: { acceptanceCriteria: [criterion("AC-1", "x")] },
      check: () => failed("SANDBOX_FAILED"),
    },
    "sandbox_error",
  ],
])("%s ends FAILED with its reason and a hint", async (_, script, reason) => {
  const { result, isOpen } = await run(script);
  expect(result).toMatchObject({ status: "failed", state: "FAILED", reason });
  expect(result.summary).not.toBe("");
  expect(result.hint).toBeTruthy();
  expect(isOpen()).toBe(false);
});

test("a rate limit holds the run up until the time the provider said", async () => {
  const retryAt = "2026-01-01T01:00:00.000Z";
  const { result } = await run({
    runs: [{ failure: { kind: "rate_limited", message: "slow down", retryAt } }],
  });
  expect(result).toMatchObject({
    status: "blocked",
    state: "FAILED",
    reason: "rate_limited",
    retryAt,
  });
});

test("a worker run that fails is reported to the meta-agent and not fatal", async () => {
  const { result } = await run({
    runs: [
      {
        exitCode: 1,
        succeeded: false,
        failure: { kind: "other", message: "crashed", retryAt: null },
      },
      {},
    ],
    assess: [assessed(false), assessed(true)],
  });
  expect(result).toMatchObject({ state: "COMPLETE", workerRuns: 2 });
});

test("a bug in a port ends the run with a result that says so", async () => {
  const { result, isOpen } = await run({ next: [new TypeError("undefined is not a function")] });
  expect(result).toMatchObject({ status: "failed", state: "FAILED", reason: null });
  expect(result.summary).toContain("undefined is not a function");
  expect(isOpen()).toBe(false);
});

test("a sandbox that cannot be removed is a warning", async () => {
  const { result, events } = await run({ close: new Error("busy") });
  expect(result.state).toBe("COMPLETE");
  expect(events).toContainEqual(expect.objectContaining({ type: "log", level: "warn" }));
});

test("a tree that cannot be looked at costs the list of changes, not the run", async () => {
  const { result, events } = await run({
    runs: [{ files: ["b.txt", "a.txt"] }],
    on: (what) => {
      if (what === "look") throw new Error("git is broken");
    },
  });
  expect(result).toMatchObject({ state: "COMPLETE", artifacts: { files: ["a.txt", "b.txt"] } });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "worker", phase: "completed", files: ["a.txt", "b.txt"] }),
  );
  expect(events).toContainEqual(expect.objectContaining({ type: "log", level: "warn" }));
});

test("the sandbox starts while the meta-agent plans", async () => {
  const { calls } = await run({});
  expect(calls.slice(0, 2).toSorted()).toEqual(["open", "planTask"]);
});
