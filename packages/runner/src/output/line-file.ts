import { closeSync, openSync, writeSync } from "node:fs";
import { MultiverseError } from "@multiverse/protocol/error";

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
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
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

function openForAppend(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (cause) {
    throw new MultiverseError("INVALID_INPUT", `cannot write ${JSON.stringify(path)}`, {
      hint: "Choose a file in a folder that exists and that you may write to.",
      cause,
    });
  }
}
