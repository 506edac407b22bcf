import type { Clock } from "@multiverse/protocol/clock";

/** Time that stands still but for sleepers, who wake in the next turn of the loop, and for jumps. */
export class SimulatedClock implements Clock {
  private time = Date.parse("2026-01-31T23:59:00.000Z");
  private elapsed = 0;
  private readonly ended: () => boolean;

  /** When the process has ended, nobody wakes any more. */
  constructor(ended: () => boolean) {
    this.ended = ended;
  }

  now(): Date {
    this.time += 1;
    return new Date(this.time);
  }

  monotonic(): number {
    return this.elapsed;
  }

  jump(ms: number): void {
    this.time += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        if (this.ended()) return;
        if (signal?.aborted) return reject(signal.reason as Error);
        this.elapsed += ms;
        this.time += ms;
        resolve();
      });
    });
  }
}
