import type { Clock } from "@multiverse/protocol/clock";

/** A clock that jumps over every wait and remembers how long it was. */
export interface FakeClock extends Clock {
  readonly slept: number[];
}

export function fakeClock(start = "2026-01-01T00:00:00.000Z"): FakeClock {
  let now = Date.parse(start);
  const slept: number[] = [];
  return {
    slept,
    now: () => new Date(now),
    monotonic: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.reject(new Error("aborted"));
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}
