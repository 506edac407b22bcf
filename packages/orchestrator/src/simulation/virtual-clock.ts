import type { Clock } from "@multiverse/protocol/clock";

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Time that moves only when the simulation says so, to the next moment anybody waits for. */
export class VirtualClock implements Clock {
  /** What never jumps; sleepers and runs go by it. */
  time = 0;
  /** What the clock on the wall shows at time 0: setting the clock changes only this. */
  private origin = Date.parse("2026-01-01T00:00:00.000Z");
  private readonly sleepers = new Set<Sleeper>();

  now(): Date {
    return new Date(this.origin + this.time);
  }

  monotonic(): number {
    return this.time;
  }

  /** Somebody sets the clock, or the machine slept. */
  jump(ms: number): void {
    this.origin += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const cancel = (): void => {
        if (this.sleepers.delete(sleeper)) reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", cancel);
        resolve();
      };
      const sleeper = { at: this.time + Math.max(0, ms), wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener("abort", cancel);
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
