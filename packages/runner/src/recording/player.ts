import { setImmediate } from "node:timers/promises";
import { withFailedCall } from "@multiverse/agents/meta/failed-call";
import type { MetaCallLog } from "@multiverse/agents/meta/meta-agent";
import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";
import { ERROR_CODES, MultiverseError } from "@multiverse/protocol/error";
import type { ErrorCode } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { createCallDesk } from "./call-desk.ts";
import type { RecordedReturn, RecordingEntry } from "./entry.ts";

export interface Player {
  /** Makes a call as the run did then; resolves or rejects as it was answered then. */
  readonly answer: <T>(name: string, onLine?: (line: OutputLine) => void) => Promise<T>;
  /** How far into the run the last answer came. */
  readonly atMs: () => number;
  /** Aborts where the recorded run was stopped. */
  readonly signal: AbortSignal;
}

/** Longest time the run may take to make the call that comes next; it has nothing to wait for but itself. */
const PATIENCE_MS = 5_000;

/**
 * One hand moves through the entries of a recording: it waits until the run has made the next recorded call, repeats what
 * was reported meanwhile, and answers as it was answered then.
 */
export function createPlayer(
  entries: readonly RecordingEntry[],
  report: (event: RunEventBody) => void,
): Player {
  const known = new Set(entries.flatMap((entry) => (entry.kind === "call" ? [entry.call] : [])));
  const desk = createCallDesk<RecordedReturn>();
  const stop = new AbortController();
  let atMs = 0;
  let playing: Promise<void> | null = null;

  async function play(): Promise<void> {
    for (const entry of entries) {
      if (entry.kind === "event") report(entry.event as RunEventBody);
      if (entry.kind === "line")
        desk.find(entry.call)?.onLine({ stream: entry.stream, line: entry.line });
      if (entry.kind === "call")
        await desk.made(entry.call, PATIENCE_MS, () =>
          mismatch(`the recording goes on with ${entry.call}`),
        );
      if (entry.kind === "abort") stop.abort();
      if (entry.kind !== "return") continue;
      atMs = entry.at_ms;
      desk.settle(entry.call, entry);
      await setImmediate(); // what the run does with it comes before what was recorded after it
    }
    throw mismatch("the recording is over");
  }

  return {
    atMs: () => atMs,
    signal: stop.signal,
    answer<T>(name: string, onLine: (line: OutputLine) => void = () => {}): Promise<T> {
      const call = desk.nextName(name);
      if (!known.has(call))
        desk.close(mismatch(`the run makes a call that was not recorded: ${call}`));
      return new Promise<T>((resolve, reject) => {
        const settle = ({ value, error }: RecordedReturn): void =>
          error ? reject(errorOf(error)) : resolve(value as T);
        desk.wait(call, { settle, refuse: reject, onLine });
        playing ??= play().catch((error: unknown) =>
          desk.close(error instanceof Error ? error : new Error(String(error))),
        );
      });
    },
  };
}

const mismatch = (why: string): MultiverseError =>
  new MultiverseError("REPLAY_MISMATCH", `The recording does not fit this run: ${why}.`, {
    hint: "Replay with the task file and the version of agent-runner that the recording was made with.",
  });

function errorOf({
  code,
  message,
  hint,
  retryable,
  retry_at,
  meta_call,
}: NonNullable<RecordedReturn["error"]>): Error {
  if (!(ERROR_CODES as readonly string[]).includes(code)) return new Error(message);
  const error = new MultiverseError(code as ErrorCode, message, { hint, retryable });
  if (meta_call !== undefined) withFailedCall(error, meta_call as MetaCallLog);
  return retry_at === null ? error : Object.assign(error, { retryAt: retry_at });
}
