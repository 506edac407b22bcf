import { setImmediate } from "node:timers/promises";
import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";
import type { Clock } from "@multiverse/protocol/clock";
import { ERROR_CODES, MultiverseError } from "@multiverse/protocol/error";
import type { ErrorCode } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { RunPorts } from "../run-ports.ts";
import type { RecordedReturn } from "./entry.ts";
import type { Recording } from "./read-recording.ts";

type Replayed = Pick<RunPorts, "meta" | "worker" | "tree" | "clock">;

interface Waiting {
  settle(entry: RecordedReturn): void;
  refuse(error: Error): void;
  onLine(line: OutputLine): void;
}

/** Longest time the run may take to make the call that comes next; it has nothing to wait for but itself. */
const PATIENCE_MS = 5_000;

/**
 * Plays a recording in place of model, worker and tree. One hand moves through the entries: it waits until the run has made
 * the next recorded call, repeats what was reported meanwhile, and answers as it was answered then.
 */
export function replayPorts(recording: Recording, report: (event: RunEventBody) => void): Replayed {
  const { header, entries } = recording;
  const known = new Set(entries.flatMap((entry) => (entry.kind === "call" ? [entry.call] : [])));
  const counts = new Map<string, number>();
  const waiting = new Map<string, Waiting>();
  let atMs = 0;
  let made = (): void => {};
  let playing: Promise<void> | null = null;

  async function play(): Promise<void> {
    for (const entry of entries) {
      if (entry.kind === "event") report(entry.event as RunEventBody);
      else if (entry.kind === "line") waiting.get(entry.call)?.onLine({ stream: entry.stream, line: entry.line });
      else if (entry.kind === "call") await callMade(entry.call);
      else {
        atMs = entry.at_ms;
        waiting.get(entry.call)?.settle(entry);
        waiting.delete(entry.call);
        await setImmediate(); // what the run does with it comes before what was recorded after it
      }
    }
  }

  async function callMade(call: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!waiting.has(call)) {
      if (performance.now() > deadline) throw mismatch(`the recording goes on with ${call}`);
      await Promise.race([new Promise<void>((done) => (made = done)), pause(deadline - performance.now())]);
    }
  }

  function answer<T>(name: string, onLine: (line: OutputLine) => void = () => {}): Promise<T> {
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const call = `${name}#${number}`;
    if (!known.has(call)) return Promise.reject(mismatch(`the run makes a call that was not recorded: ${call}`));
    const result = new Promise<T>((resolve, reject) => {
      waiting.set(call, {
        settle: ({ value, error }) => (error ? reject(errorOf(error)) : resolve(value as T)),
        refuse: reject,
        onLine,
      });
    });
    made();
    playing ??= play().catch((error: unknown) => {
      for (const { refuse } of waiting.values()) refuse(error instanceof Error ? error : new Error(String(error)));
    });
    return result;
  }

  const unseen = { taken: null };
  return {
    clock: replayClock(new Date(header.started_at), () => atMs),
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

const pause = (ms: number): Promise<void> =>
  new Promise((done) => void setTimeout(done, Math.max(1, Math.min(ms, 100))));

const mismatch = (why: string): MultiverseError =>
  new MultiverseError("REPLAY_MISMATCH", `The recording does not fit this run: ${why}.`, {
    hint: "Replay with the task file and the version of agent-runner that the recording was made with.",
  });

function errorOf({ code, message, hint, retryable, retry_at }: NonNullable<RecordedReturn["error"]>): Error {
  if (!(ERROR_CODES as readonly string[]).includes(code)) return new Error(message);
  const error = new MultiverseError(code as ErrorCode, message, { hint, retryable });
  return retry_at === null ? error : Object.assign(error, { retryAt: retry_at });
}
