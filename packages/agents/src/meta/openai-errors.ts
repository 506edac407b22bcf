import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";
import { RateLimitedError } from "./rate-limited-error.ts";
import type { OpenaiFault } from "./openai-reply.ts";

/** An answer that is no success, in words a person can act on. */
export function statusError(
  status: number,
  fault: OpenaiFault,
  {
    retryAfter,
    now,
    url,
    model,
  }: { retryAfter: string | null; now: Date; url: string; model: string },
): MultiverseError {
  const said = fault.message ? `: ${fault.message}` : "";
  if (status === 429) return rateLimit(fault, said, retryTime(retryAfter, now));
  if (status === 401)
    return new MultiverseError("META_KEY_MISSING", `the API refused the key (401)${said}`, {
      hint: "Check OPENAI_API_KEY: it may be mistyped, expired or for another service than OPENAI_BASE_URL.",
    });
  if (status === 403)
    return new MultiverseError(
      "META_KEY_MISSING",
      `the key may not be used for this (403)${said}`,
      {
        hint: `Check that the key has access to the model ${model}.`,
      },
    );
  if (status === 404)
    return new MultiverseError("META_UNAVAILABLE", `not found (404)${said}`, {
      hint: `Check the model name ${JSON.stringify(model)} and the base URL ${url}.`,
    });
  if (status === 408 || status >= 500) {
    const error = new MultiverseError("META_UNAVAILABLE", `the API failed (${status})${said}`, {
      hint: "The service has trouble; try again in a few minutes or choose another model.",
      retryable: true,
    });
    return Object.assign(error, { waitUntil: retryTime(retryAfter, now) });
  }
  return new MultiverseError("META_UNAVAILABLE", `the API refused the request (${status})${said}`, {
    hint: `Check the settings of the meta-agent: model ${JSON.stringify(model)}, base URL ${url}.`,
  });
}

function rateLimit({ code }: OpenaiFault, said: string, retryAt: string | null): RateLimitedError {
  // Waiting does not fill an empty account.
  if (code === "insufficient_quota")
    return new RateLimitedError(`the account's quota is used up${said}`, null, false);
  return new RateLimitedError(`rate limited (429)${said}`, retryAt);
}

const FARTHEST_MS = 7 * 24 * 3_600_000;

/** `Retry-After` in seconds or as a date; nonsense and the far future are not believed. */
function retryTime(header: string | null, now: Date): string | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now.getTime();
  if (!Number.isFinite(ms) || ms < 0) return null;
  return new Date(now.getTime() + Math.min(ms, FARTHEST_MS)).toISOString();
}

/** No answer at all: the connection failed, broke, or took too long. */
export function connectionError(
  cause: unknown,
  didTimeOut: boolean,
  timeoutSec: number,
  url: string,
): MultiverseError {
  if (didTimeOut)
    return new MultiverseError("META_TIMEOUT", `no answer from ${url} within ${timeoutSec} s`, {
      hint: "Set META_TIMEOUT_SEC higher, or choose a faster model.",
      retryable: true,
      cause,
    });
  return new MultiverseError("META_UNAVAILABLE", `cannot talk to ${url} (${reasonOf(cause)})`, {
    hint: "Check the network connection and OPENAI_BASE_URL.",
    retryable: true,
    cause,
  });
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown";
  const inner: unknown = cause.cause;
  return systemCode(inner) || (inner instanceof Error ? inner.message : cause.message);
}
