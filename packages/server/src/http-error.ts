import {
  errorBody,
  MultiverseError,
  type ErrorBody,
  type ErrorCode,
} from "@multiverse/protocol/error";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ZodError } from "zod";

/** Every foreseen failure has its status; a code without one does not compile. */
const STATUS: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  INVALID_INPUT: 400,
  INVALID_ID: 400,
  INVALID_TASK: 422,
  PATCH_REFUSED: 422,
  NOT_FOUND: 404,
  CONFLICT: 409,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  STORAGE_FULL: 507,
  STORAGE_FAILED: 503,
  WORKSPACE_READ_ONLY: 409,
  WORKSPACE_LOCKED: 409,
  WORKSPACE_TOO_NEW: 409,
  SNAPSHOT_DAMAGED: 422,
  META_BAD_ANSWER: 502,
  META_UNAVAILABLE: 502,
  META_TIMEOUT: 504,
  META_KEY_MISSING: 424,
  LOGIN_MISSING: 424,
  SANDBOX_REFUSED: 422,
  SANDBOX_FAILED: 503,
  DOCKER_UNAVAILABLE: 503,
  IMAGE_MISSING: 424,
  OUT_OF_MEMORY: 503,
  REPLAY_MISMATCH: 422,
  CANCELED: 409,
};

/** An error as an answer. What was not foreseen is a bug: 500, without a word of what it was. */
export function errorAnswer(error: unknown): { status: ContentfulStatusCode; body: ErrorBody } {
  if (error instanceof MultiverseError)
    return { status: STATUS[error.code], body: errorBody(error) };
  if (error instanceof HTTPException && error.status < 500)
    return { status: error.status, body: errorBody(unreadable(error)) };
  return { status: 500, body: errorBody(error) };
}

const unreadable = (cause: HTTPException): MultiverseError =>
  new MultiverseError("INVALID_INPUT", cause.message || "the request cannot be read", {
    hint: "Send a JSON body as the OpenAPI document describes it.",
    cause,
  });

/** What a schema found wrong with a request, as one sentence. */
export function invalidInput(error: ZodError): MultiverseError {
  const problems = error.issues
    .slice(0, 10)
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message));
  return new MultiverseError("INVALID_INPUT", problems.join("; ").slice(0, 2_000), {
    hint: "The OpenAPI document at /api/v1/openapi.json describes what each route takes.",
  });
}

export const notFound = (what: string): MultiverseError =>
  new MultiverseError("NOT_FOUND", `there is no ${what}`, {
    hint: "It may have been deleted since; look at the list again.",
  });
