import type { CliFailure } from "./agent-cli.ts";

/** How one CLI says that it may not go on. A status is a structured fact and wins; text is the last resort. */
export interface FailureSigns {
  readonly rateLimit: RegExp;
  readonly login: RegExp;
}

const LIMITED_STATUSES = new Set([429, 529]);
const LOGIN_STATUSES = new Set([401, 403]);
const MAX_MESSAGE = 2_000;
/** A provider that says "in ten years" is not believed: nothing waits longer than this. */
const MAX_WAIT_MS = 7 * 24 * 3_600_000;

export function failureOf(
  signs: FailureSigns,
  seen: { readonly status?: number | null | undefined; readonly message: string },
  now: Date,
): CliFailure {
  const message = seen.message.trim().slice(0, MAX_MESSAGE) || "the CLI failed without saying why";
  const { status } = seen;
  if (status !== undefined && status !== null) {
    if (LIMITED_STATUSES.has(status)) return limited(message, now);
    if (LOGIN_STATUSES.has(status)) return { kind: "login", message, retryAt: null };
  }
  if (signs.rateLimit.test(message)) return limited(message, now);
  if (signs.login.test(message)) return { kind: "login", message, retryAt: null };
  return { kind: "other", message, retryAt: null };
}

const limited = (message: string, now: Date): CliFailure => ({
  kind: "rate_limited",
  message,
  retryAt: retryTime(message, now),
});

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const AMOUNT =
  /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b/gi;
const PHRASE =
  /(?:again|retry|retry-after|resets?|wait)\s*(?:in|after|:)?\s*((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)/i;

/** When the limit lifts, as far as the message says: "try again in 1h 5m", "resets at <ISO time>", "…|<epoch seconds>". */
export function retryTime(message: string, now: Date): string | null {
  const phrase = PHRASE.exec(message)?.[1];
  if (phrase !== undefined) {
    const ms = [...phrase.matchAll(AMOUNT)].reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unitOf(unit ?? "")] ?? 0),
      0,
    );
    if (ms > 0) return at(now.getTime() + ms, now);
  }
  const iso = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(
    message,
  )?.[0];
  if (iso !== undefined) return at(Date.parse(iso), now);
  const epoch = /\|(\d{10})\b/.exec(message)?.[1];
  return epoch === undefined ? null : at(Number(epoch) * 1_000, now);
}

function unitOf(word: string): string {
  const lower = word.toLowerCase();
  return lower === "ms" || lower.startsWith("milli") ? "ms" : lower.slice(0, 1);
}

function at(time: number, now: Date): string | null {
  if (!Number.isFinite(time) || time <= now.getTime()) return null;
  return new Date(Math.min(time, now.getTime() + MAX_WAIT_MS)).toISOString();
}
