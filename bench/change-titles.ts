import { setTimeout as sleep } from "node:timers/promises";
import type { Served } from "./served.ts";

export const CHANGES = 1_000;
export const CHANGED = "task-0001";
const SENDERS = 8;

/**
 * Changes a task's title 100 times a second; each title says when it was sent. A machine that is too slow for that gets
 * fewer, so that what waits in our own queue is not measured.
 */
export async function changeTitles(served: Served): Promise<void> {
  const started = performance.now();
  const sender = async (first: number): Promise<void> => {
    for (let nth = first; nth < CHANGES; nth += SENDERS) {
      const wait = started + nth * 10 - performance.now();
      if (wait > 0) await sleep(wait);
      const operations = [{ op: "update", task_id: CHANGED, title: `Task at ${Date.now()}` }];
      await served.post(`${served.ws}/plan`, { operations });
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, first) => sender(first)));
  const rate = CHANGES / ((performance.now() - started) / 1_000);
  if (rate < 90) console.error(`only ${Math.round(rate)} facts a second: this machine is busy`);
}
