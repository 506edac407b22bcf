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
export const openLineFile = (path: string): LineSink => createLineSink(openForAppend(path));

/** Lines into an open file, which it closes in the end. */
export function createLineSink(fd: number): LineSink {
  let held = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(held, "utf8");
    held = "";
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
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
