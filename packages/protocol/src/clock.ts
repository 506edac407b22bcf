/** The ports that tests replace besides the model: time, ids and chance. Everything else is real. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never jump; for durations and time-outs. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export type Random = () => number;

/** A fresh id such as `att-3f9c…`; never repeats. */
export type NewId = (prefix: string) => string;
