import { MultiverseError } from "@multiverse/protocol/error";
import type { ErrorCode } from "@multiverse/protocol/error";
import type { RunReason } from "@multiverse/protocol/run-result";
import type { RunEnd } from "./task-context.ts";

/** A run that ends now: thrown from anywhere inside it, caught once in `runTask`. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  readonly end: RunEnd;

  constructor(
    reason: RunReason,
    summary: string,
    details: { hint?: string; retryAt?: string | null; cause?: unknown } = {},
  ) {
    super(summary, { cause: details.cause });
    this.end = {
      // A limit lifts by itself: the run is held up, not wrong.
      status: reason === "rate_limited" ? "blocked" : "failed",
      reason,
      summary,
      question: null,
      retryAt: details.retryAt ?? null,
      ...(details.hint === undefined ? {} : { hint: details.hint }),
    };
  }
}

const REASONS: Partial<Record<ErrorCode, RunReason>> = {
  META_BAD_ANSWER: "meta_error",
  META_UNAVAILABLE: "meta_error",
  META_TIMEOUT: "meta_error",
  META_KEY_MISSING: "login_missing",
  LOGIN_MISSING: "login_missing",
  RATE_LIMITED: "rate_limited",
  SANDBOX_REFUSED: "sandbox_error",
  SANDBOX_FAILED: "sandbox_error",
  DOCKER_UNAVAILABLE: "sandbox_error",
  IMAGE_MISSING: "sandbox_error",
  OUT_OF_MEMORY: "oom",
  INVALID_INPUT: "invalid_task",
  REPLAY_MISMATCH: "invalid_task",
  CANCELED: "canceled",
};

/** A foreseen error as the end of a run, with `fallback` for codes that say nothing about who failed. */
function failureOf(error: MultiverseError, fallback: RunReason): RunFailure {
  const retryAt = "retryAt" in error && typeof error.retryAt === "string" ? error.retryAt : null;
  return new RunFailure(REASONS[error.code] ?? fallback, error.message, {
    hint: error.hint,
    retryAt,
    cause: error,
  });
}

export const canceled = (): RunFailure =>
  new RunFailure("canceled", "The run was canceled.", {
    hint: "Run the task again when you want it to go on; finished work is kept in the repo.",
  });

/** Whatever was thrown as the end of a run; null for a bug, which has to be shown as one. */
export function runEndOf(error: unknown, signal: AbortSignal, fallback: RunReason): RunEnd | null {
  if (error instanceof RunFailure) return error.end;
  if (signal.aborted || (error instanceof MultiverseError && error.code === "CANCELED"))
    return canceled().end;
  if (error instanceof MultiverseError) return failureOf(error, fallback).end;
  return null;
}
