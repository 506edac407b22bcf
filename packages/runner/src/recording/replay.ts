import type { Clock } from "@multiverse/protocol/clock";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { RunPorts } from "../run-ports.ts";
import { createPlayer } from "./player.ts";
import type { Recording } from "./read-recording.ts";

type Replayed = Pick<RunPorts, "meta" | "worker" | "tree" | "clock"> & {
  /** Aborts where the recorded run was stopped. */
  readonly stopped: AbortSignal;
};

/** A recording in place of model, worker, tree and time: no network, no process, the same answers. */
export function replayPorts(
  { header, entries }: Recording,
  report: (event: RunEventBody) => void,
): Replayed {
  const { answer, atMs, signal } = createPlayer(entries, report);
  const unseen = { taken: null };
  return {
    stopped: signal,
    clock: replayClock(new Date(header.started_at), atMs),
    meta: {
      planTask: () => answer("meta.planTask"),
      nextAction: () => answer("meta.nextAction"),
      assess: () => answer("meta.assess"),
    },
    worker: {
      open: () => answer("worker.open"),
      run: () => answer("worker.run"),
      check: (_plan, _signal, onLine) => answer("worker.check", onLine),
      close: () => answer("worker.close"),
    },
    tree: {
      look: () => answer("tree.look").then(() => unseen),
      changes: () => answer("tree.changes"),
      diffStat: () => answer("tree.diffStat"),
    },
  };
}

/** Time as it was: durations and limits come out the same. */
const replayClock = (start: Date, atMs: () => number): Clock => ({
  now: () => new Date(start.getTime() + Math.round(atMs())),
  monotonic: atMs,
  sleep: () => Promise.resolve(),
});
