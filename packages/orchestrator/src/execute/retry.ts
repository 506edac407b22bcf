import type { Random } from "@multiverse/protocol/clock";

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
  /** ± share of the delay, so that tasks that failed together do not come back together. */
  readonly jitter: number;
}

export const RETRY: RetryPolicy = {
  maxAttempts: 3,
  baseMs: 5_000,
  factor: 2,
  capMs: 300_000,
  jitter: 0.2,
};

/** A lost runner is nobody's fault, but one that is lost every time needs a person. */
export const MAX_LOST = 2;
/** Sandbox trouble has a bound of its own, since it says nothing about the task. */
export const MAX_INFRASTRUCTURE = 3;

/** A rate limit whose end nobody said is looked at again after a minute, */
export const UNSAID_LIMIT_MS = 60_000;
/** and one that is said to last for days is still tried once an hour. */
export const LONGEST_LIMIT_MS = 3_600_000;

/** The wait after the n-th failure (from 1). Never shrinks with n before jitter, never exceeds the cap. */
export function retryDelayMs(
  failures: number,
  random: Random,
  policy: RetryPolicy = RETRY,
): number {
  const delay = Math.min(policy.capMs, policy.baseMs * policy.factor ** Math.max(0, failures - 1));
  return Math.min(policy.capMs, Math.round(delay * (1 + policy.jitter * (2 * random() - 1))));
}
