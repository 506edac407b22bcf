import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";
import { SyncFailed } from "./durable-file.ts";
import { isFull } from "./file-system.ts";

/** A disk failure in words: what could not be done, and what a person can do about it. */
export function storageError(what: string, cause: unknown): MultiverseError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return isFull(cause)
    ? new MultiverseError("STORAGE_FULL", `The disk is full: ${what} (${why}).`, {
        hint: "Free some space; nothing was changed, and it works again by itself.",
        retryable: true,
        cause,
      })
    : new MultiverseError("STORAGE_FAILED", `The disk failed: ${what} (${why}).`, {
        hint: "Check the disk and the system log; nothing was acknowledged that is not saved.",
        cause,
      });
}

/** Whether an error came from the disk as it is, not yet in our words. */
export const isDiskError = (error: unknown): boolean =>
  !(error instanceof MultiverseError) && (error instanceof SyncFailed || systemCode(error) !== "");
