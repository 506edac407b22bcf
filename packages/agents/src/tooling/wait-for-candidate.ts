import type { Clock } from "@multiverse/protocol/clock";
import type { Chooser, Chosen } from "./chooser.ts";

/** Longer than this nobody waits in place: the run ends, and the plan goes on with something else. */
const LONGEST_WAIT_MS = 60_000;
const SHORTEST_WAIT_MS = 100;

/** The time one step may go on after its first limit, waiting and trying again. */
export interface WaitBudget {
  /** Waits until then if that is still allowed; false: it is not. */
  until(time: Date, signal: AbortSignal): Promise<boolean>;
  isUsedUp(): boolean;
}

export function createWaitBudget(clock: Clock): WaitBudget {
  let end: number | null = null;
  const left = (): number => (end ??= clock.monotonic() + LONGEST_WAIT_MS) - clock.monotonic();
  return {
    async until(time, signal) {
      const wait = Math.max(SHORTEST_WAIT_MS, time.getTime() - clock.now().getTime());
      if (wait > left()) return false;
      await clock.sleep(wait, signal);
      return true;
    },
    isUsedUp: () => left() <= 0,
  };
}

/** Chooses; if everybody is cooling and the first comes back soon, waits for it. */
export async function chooseOrWait(
  chooser: Chooser,
  budget: WaitBudget,
  signal: AbortSignal,
): Promise<Chosen> {
  for (;;) {
    const chosen = await chooser.choose();
    if (chosen.candidate !== null || chosen.retryAt === null) return chosen;
    if (!(await budget.until(chosen.retryAt, signal))) return chosen;
  }
}
