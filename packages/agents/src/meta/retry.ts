import type { Clock, Random } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import { canceled, RateLimitedError } from "./rate-limited-error.ts";

const DELAYS_MS = [1_000, 2_000, 4_000];
const JITTER = 0.2;
/** A provider may ask for more patience than this in all; then somebody else is asked, or the run waits outside. */
const LONGEST_WAIT_MS = 60_000;

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Whether a rate limit is waited out here; not so when another candidate can be asked instead. */
  readonly waitsOutRateLimit: () => boolean;
  readonly onRetry: (retry: Retry) => void;
}

export interface Retry {
  /** 1 is the first try after the first. */
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  readonly error: MultiverseError;
}

/** Tries again what can be helped by trying again: three times after the first, each after a longer wait. */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, signal, onRetry } = options;
  let waitedMs = 0;
  for (let tries = 0; ; tries++) {
    if (signal.aborted) throw canceled();
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw canceled();
      if (!(error instanceof MultiverseError) || !error.retryable) throw error;
      const delayMs = delayOf(error, tries, clock, random);
      if (delayMs === null) throw error;
      if (error instanceof RateLimitedError) {
        waitedMs += delayMs;
        if (waitedMs > LONGEST_WAIT_MS || !options.waitsOutRateLimit()) throw error;
      }
      onRetry({ attempt: tries + 1, maxRetries: DELAYS_MS.length, delayMs, error });
      await clock.sleep(delayMs, signal).catch(() => {
        throw canceled();
      });
    }
  }
}

/** Null: waiting any longer here is no use. */
function delayOf(
  error: MultiverseError,
  tries: number,
  clock: Clock,
  random: Random,
): number | null {
  const base = DELAYS_MS[tries];
  if (base === undefined) return null;
  if (error instanceof RateLimitedError && error.retryAt !== null) {
    return Math.max(0, Date.parse(error.retryAt) - clock.now().getTime());
  }
  return waitAskedFor(error, clock) ?? Math.round(base * (1 - JITTER + 2 * JITTER * random()));
}

/** A server in trouble may say when it is back; longer than a minute is not believed. */
function waitAskedFor(error: MultiverseError, clock: Clock): number | null {
  if (!("waitUntil" in error) || typeof error.waitUntil !== "string") return null;
  const ms = Date.parse(error.waitUntil) - clock.now().getTime();
  return ms >= 0 && ms <= LONGEST_WAIT_MS ? ms : null;
}
