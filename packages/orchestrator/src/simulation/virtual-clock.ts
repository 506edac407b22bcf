import type { Clock } from "@multiverse/protocol/clock";

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Time that moves only when the simulation says so, to the next moment anybody waits for. */
export class VirtualClock implements Clock {
  time = Date.parse("2026-01-01T00:00:00.000Z");
  private sleepers = new Set<Sleeper>();

  now(): Date {
    return new Date(this.time);
  }

  monotonic(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const sleeper = { at: this.time + Math.max(0, ms), wake: resolve };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        if (this.sleepers.delete(sleeper)) reject(signal.reason as Error);
      });
    });
  }

  get next(): number | null {
    let next: number | null = null;
    for (const { at } of this.sleepers) if (next === null || at < next) next = at;
    return next;
  }

  advanceTo(time: number): void {
    this.time = Math.max(this.time, time);
    for (const sleeper of this.sleepers) {
      if (sleeper.at > this.time) continue;
      this.sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  /** The process that slept is gone: nobody wakes. */
  forgetSleepers(): void {
    this.sleepers.clear();
  }
}
