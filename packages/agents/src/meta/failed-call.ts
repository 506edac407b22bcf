import type { MetaCallLog } from "./meta-agent.ts";

const failedCalls = new WeakMap<Error, MetaCallLog>();

/** Notes which call an error ended: what it asked and what it cost belong into the story of a run like any other call. */
export function withFailedCall<E extends Error>(error: E, call: MetaCallLog): E {
  failedCalls.set(error, call);
  return error;
}

/** The call that an error ended, if it was one. */
export const failedCallOf = (error: unknown): MetaCallLog | null =>
  error instanceof Error ? (failedCalls.get(error) ?? null) : null;
