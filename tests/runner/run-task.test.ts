import fc from "fast-check";
import { expect, test } from "vitest";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunReason } from "@multiverse/protocol/run-result";
import { RunResult } from "@multiverse/protocol/run-result";
import { toSnake } from "@multiverse/protocol/case";
import { TRANSITIONS, isTerminal } from "@multiverse/runner/fsm";
import { noteView, renderNote } from "@multiverse/runner/note";
import { resultOf } from "@multiverse/runner/result";
import { runTask } from "@multiverse/runner/run-task";
import type { ResolvedTask } from "@multiverse/runner/task-file/resolve-task";
import { aTask, assessed, criterion, decide, fakeWorld, runWorker } from "./harness/fake-ports.ts";
import type { Assessment, NextAnswer, PlanAnswer, Script } from "./harness/fake-ports.ts";

async function run(
  script: Script,
  change: Partial<ResolvedTask> = {},
  signal = new AbortController().signal,
) {
  const world = fakeWorld(script);
  const context = await runTask(aTask(change), world.ports, signal);
  const result = resultOf(context, null);
  return { ...world, context, result };
}

const failed = (code: MultiverseError["code"]): MultiverseError =>
  new MultiverseError(code, `${code}!`, { hint: "do this" });

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

// --- properties -------------------------------------------------------------------------------------------------

const IDS = ["AC-1", "AC-2", "AC-3"];
const nextAnswer: fc.Arbitrary<NextAnswer | Error> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(runWorker()) },
  { weight: 3, arbitrary: fc.constant(decide("mark_complete")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      decide("ask_human", "which?"),
      decide("abort", "no"),
      decide("dance"),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(failed("META_BAD_ANSWER"), failed("RATE_LIMITED"), new Error("bug")),
  },
);
const assessment: fc.Arbitrary<Assessment | Error> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(true, false, undefined),
        fc.array(
          fc.record({
            id: fc.constantFrom(...IDS, "AC-9"),
            status: fc.constantFrom("passed" as const, "failed" as const),
            comment: fc.constant(""),
          }),
          { maxLength: 4 },
        ),
      )
      .map(([all, by]) => assessed(all, by)),
  },
  { weight: 1, arbitrary: fc.constant(failed("META_UNAVAILABLE")) },
);
const workerRun = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ exitCode: fc.constantFrom(0, 1, 137), succeeded: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constantFrom(failed("SANDBOX_FAILED"), new Error("bug")) },
);
const world = fc.record({
  next: fc.array(nextAnswer, { minLength: 1, maxLength: 8 }),
  assess: fc.array(assessment, { minLength: 1, maxLength: 8 }),
  runs: fc.array(workerRun, { minLength: 1, maxLength: 8 }),
  changes: fc.array(fc.constantFrom<string[][]>([], ["a.txt"], ["a.txt", "b.test.ts"]), {
    minLength: 1,
    maxLength: 8,
  }),
  exits: fc.array(fc.constantFrom(0, 0, 1), { minLength: 1, maxLength: 8 }),
  withChecks: fc.subarray(IDS),
  maxLoops: fc.nat({ max: 6 }),
  test: fc.boolean(),
  abortAt: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

async function play({ exits, withChecks, maxLoops, test: hasTest, abortAt, ...script }: World) {
  const controller = new AbortController();
  let steps = 0;
  return run(
    {
      ...script,
      plan: {
        acceptanceCriteria: IDS.map((id) =>
          criterion(id, withChecks.includes(id) ? `check-${id}` : undefined),
        ),
      },
      check: (command, n) => exits[(n + command.length) % exits.length] ?? 0,
      on: () => void (steps++ === abortAt && controller.abort()),
    },
    { maxLoops, test: hasTest ? { command: "test", cwd: "." } : null },
    controller.signal,
  );
}

test("any answers and outcomes lead through legal transitions to a final state within the loop bound, leaving nothing open", async () => {
  const legal = new Set(TRANSITIONS.map(([from, to]) => `${from}>${to}`));
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { events, context, result, isOpen } = await play(given);
      const steps = events.flatMap((event) => (event.type === "state" ? [event] : []));
      let at = "PENDING";
      for (const { from, to } of steps) {
        expect(from).toBe(at);
        expect(legal).toContain(`${from}>${to}`);
        at = to;
      }
      expect(isTerminal(context.state)).toBe(true);
      expect(at).toBe(context.state);
      expect(context.validations).toBeLessThanOrEqual(given.maxLoops + 1);
      expect(context.loops).toBeLessThanOrEqual(given.maxLoops);
      expect(isOpen()).toBe(false);
      expect(RunResult.safeParse(toSnake(result)).error).toBeUndefined();
      expect(renderNote(noteView(context), "ja")).toContain(`- State: ${context.state}`);
      ends.add(result.reason ?? result.state);
    }),
    { numRuns: 2_000 },
  );
  expect(ends.size, "the property must have seen many kinds of ends").toBeGreaterThan(6);
}, 60_000);

test("COMPLETE means that every check exited 0 last, whatever the model says", async () => {
  let complete = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { result, context } = await play({ ...given, abortAt: undefined });
      if (result.state !== "COMPLETE") return;
      complete += 1;
      expect(result.criteria.every(({ passed }) => passed)).toBe(true);
      const checked = result.criteria.filter(({ id }) => given.withChecks.includes(id));
      expect(checked.filter(({ evidence }) => evidence?.exitCode !== 0)).toEqual([]);
      expect(context.testResult?.exitCode).toBe(given.test ? 0 : undefined);
    }),
    { numRuns: 2_000 },
  );
  expect(complete, "some runs must have completed").toBeGreaterThan(20);
});

test("a model that calls everything done while a check fails never gets COMPLETE", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 5 }), fc.boolean(), async (maxLoops, claims) => {
      const plan: PlanAnswer = {
        acceptanceCriteria: [criterion("AC-1", "fails"), criterion("AC-2")],
      };
      const all = assessed(
        true,
        IDS.map((id) => ({ id, status: "passed", comment: "surely" })),
      );
      const { result } = await run(
        {
          plan,
          next: [claims ? decide("mark_complete") : runWorker()],
          assess: [all],
          check: () => 1,
        },
        { maxLoops },
      );
      expect(result).toMatchObject({ state: "FAILED", validation: { overall: "failed" } });
      expect(result.criteria[0]).toMatchObject({
        id: "AC-1",
        passed: false,
        evidence: { command: "fails", exitCode: 1 },
      });
    }),
  );
});

test("a cancel at any step ends FAILED with reason canceled and leaves nothing open", async () => {
  const script: Script = {
    assess: [assessed(false), assessed(false), assessed(true)],
    plan: { acceptanceCriteria: [criterion("AC-1", "x")] },
  };
  const { calls } = await run(script);
  const last = calls.indexOf("close");
  for (let step = 0; step < last; step++) {
    const controller = new AbortController();
    let n = 0;
    const { result, isOpen } = await run(
      { ...script, on: () => void (n++ === step && controller.abort()) },
      {},
      controller.signal,
    );
    expect(result, `canceled at ${calls[step]} (${step})`).toMatchObject({
      state: "FAILED",
      status: "failed",
      reason: "canceled",
    });
    expect(isOpen()).toBe(false);
  }
});
