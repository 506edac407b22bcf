import { z } from "zod";

/**
 * Foreseen failures, as a closed set. `docs/errors.md` has an entry for each (a test compares them).
 * Anything that is not one of these is a bug and crashes loudly.
 */
export const ERROR_CODES = [
  "INVALID_INPUT",
  "INVALID_ID",
  "INVALID_TASK",
  "PATCH_REFUSED",
  "NOT_FOUND",
  "CONFLICT",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RATE_LIMITED",
  "STORAGE_FULL",
  "STORAGE_FAILED",
  "WORKSPACE_READ_ONLY",
  "WORKSPACE_LOCKED",
  "WORKSPACE_TOO_NEW",
  "SNAPSHOT_DAMAGED",
  "META_BAD_ANSWER",
  "META_UNAVAILABLE",
  "META_TIMEOUT",
  "META_KEY_MISSING",
  "LOGIN_MISSING",
  "SANDBOX_REFUSED",
  "SANDBOX_FAILED",
  "DOCKER_UNAVAILABLE",
  "IMAGE_MISSING",
  "OUT_OF_MEMORY",
  "REPLAY_MISMATCH",
  "CANCELED",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorDetails {
  /** What the person can do next; never empty. */
  hint: string;
  retryable?: boolean;
  cause?: unknown;
}

/** A failure that was foreseen: it says what happened and what to do, and callers branch on `code`, never on text. */
export class MultiverseError extends Error {
  override readonly name = "MultiverseError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, { hint, retryable = false, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.retryable = retryable;
  }
}

/** An error as data: what crosses a process or a socket. A stack never does. */
export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    retryable: z.boolean().optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The one place that turns an error into words for a person and data for a program. */
export function errorBody(error: unknown): ErrorBody {
  if (error instanceof MultiverseError) {
    const { code, message, hint, retryable } = error;
    return { error: { code, message, hint, retryable } };
  }
  return {
    error: {
      code: "INTERNAL",
      message: "Something broke on our side.",
      hint: "The log has the details; `multiverse doctor --bundle` collects a report.",
      retryable: false,
    },
  };
}
