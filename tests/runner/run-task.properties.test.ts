import fc from "fast-check";
import { expect, test } from "vitest";
import { RunResult } from "@multiverse/protocol/run-result";
import { toSnake } from "@multiverse/protocol/case";
import { TRANSITIONS, isTerminal } from "@multiverse/runner/fsm";
import { noteView, renderNote } from "@multiverse/runner/note";
import { assessed, criterion, decide, runWorker } from "./harness/fake-ports.ts";
import type { Assessment, NextAnswer, PlanAnswer, Script } from "./harness/fake-ports.ts";
import { failed, run } from "./harness/run.ts";

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
