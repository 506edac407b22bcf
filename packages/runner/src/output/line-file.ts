import { closeSync, constants, openSync, writeSync } from "node:fs";
import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";

export interface LineSink {
  /** `bulk` lines may wait a moment so that a chatty worker does not cost a write each; order is always kept. */
  write(line: string, bulk: boolean): void;
  close(): void;
}

const HOLD_MS = 20;
const HOLD_CHARS = 65_536;

/** Appends lines to a file. Followers see whole events soon after they happened. */
export const openLineFile = (path: string, onFailure: (why: string) => void): LineSink =>
  createLineSink(openForAppend(path), (why) => onFailure(`${path}: ${why}`));

/**
 * Lines into an open file, which it closes in the end. A disk that is full must not stop the run: the first failure is
 * told, and nothing more is written, so that no half line is followed by others.
 */
export function createLineSink(fd: number, onFailure: (why: string) => void = () => {}): LineSink {
  let held = "";
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(held, "utf8");
    held = "";
    if (hasFailed) return;
    try {
      for (let at = 0; at < bytes.length;)
        at += patiently("EAGAIN", () => writeSync(fd, bytes, at));
    } catch (error) {
      hasFailed = true;
      onFailure(error instanceof Error ? error.message : String(error));
    }
  };
  return {
    write(line, bulk) {
      held += `${line}\n`;
      if (!bulk || held.length > HOLD_CHARS) flush();
      else timer ??= setTimeout(flush, HOLD_MS);
    },
    close() {
      flush();
      closeSync(fd);
    },
  };
}

// Without O_NONBLOCK a pipe that nobody reads would stop everything, signals included, for as long as nobody does.
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

function openForAppend(path: string): number {
  try {
    return patiently("ENXIO", () => openSync(path, APPEND, 0o600));
  } catch (cause) {
    const isUnread = systemCode(cause) === "ENXIO";
    const why = isUnread ? ": it is a pipe that nobody reads" : "";
    throw new MultiverseError("INVALID_INPUT", `cannot write ${JSON.stringify(path)}${why}`, {
      hint: isUnread
        ? "Start its reader first, or choose a file."
        : "Choose a file in a folder that exists and that you may write to.",
      cause,
    });
  }
}

const PATIENCE_MS = 5_000;
const NAP_MS = 10;

/** Tries again while the other end of a pipe is not ready (`code`), but not without end. */
function patiently<T>(code: string, act: () => T): T {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (systemCode(error) !== code || performance.now() > deadline) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAP_MS);
  }
}
