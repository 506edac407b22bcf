import fc from "fast-check";
import { expect, test } from "vitest";
import { noMask } from "@multiverse/agents/secrets";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { RecordingEntry } from "@multiverse/runner/recording/entry";
import type { RecordingHeader } from "@multiverse/runner/recording/entry";
import { createRecorder } from "@multiverse/runner/recording/record";
import { replayPorts } from "@multiverse/runner/recording/replay";
import { resultOf } from "@multiverse/runner/result";
import { runTask } from "@multiverse/runner/run-task";
import { aTask, assessed, criterion, decide, fakeWorld, runWorker } from "./harness/fake-ports.ts";
import type { Script } from "./harness/fake-ports.ts";

const header: RecordingHeader = {
  kind: "recording",
  v: 1,
  task_id: "TASK-1",
  trace_id: "t",
  started_at: "2026-01-01T00:00:00.000Z",
  task: "",
};
const never = new AbortController().signal;

const script: fc.Arbitrary<Script> = fc.record({
  plan: fc.constant({ acceptanceCriteria: [criterion("AC-1", "check"), criterion("AC-2")] }),
  next: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant(runWorker()) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          decide("mark_complete"),
          decide("ask_human"),
          decide("abort"),
          new Error("bug"),
        ),
      },
    ),
    { minLength: 1, maxLength: 6 },
  ),
  assess: fc.array(fc.constantFrom(assessed(true), assessed(false)), {
    minLength: 1,
    maxLength: 6,
  }),
  changes: fc.array(fc.constantFrom([], ["a.txt"]), { minLength: 1, maxLength: 6 }),
});

test("any run that was recorded is replayed to the same events and the same result", async () => {
  await fc.assert(
    fc.asyncProperty(
      script,
      fc.nat({ max: 4 }),
      fc.integer({ min: 0, max: 3 }),
      async (given, maxLoops, failures) => {
        const task = aTask({ maxLoops });
        const live = fakeWorld({ ...given, check: (_, n) => (n <= failures ? 1 : 0) });
        const lines: string[] = [];
        const sink = { write: (line: string) => void lines.push(line), close: () => {} };
        const recorder = createRecorder(sink, header, noMask, live.ports.clock);
        const first = await runTask(task, { ...live.ports, ...recorder.wrap(live.ports) }, never);

        const entries = lines.slice(1).map((line) => RecordingEntry.parse(JSON.parse(line)));
        const events: RunEventBody[] = [];
        const emit = (event: RunEventBody): void => void events.push(event);
        const again = await runTask(
          task,
          { ...live.ports, ...replayPorts({ header, entries }, emit), emit },
          never,
        );
        expect(events).toEqual(live.events);
        expect(resultOf(again, null)).toEqual(resultOf(first, null));
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);
