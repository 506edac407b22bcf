import type { ExecEnd, ExecPlan } from "./sandbox/sandbox.ts";

const LONGEST_TIMER_MS = 2_147_000_000;

/** Watches the clock, the silence and the signal; `stopped` resolves with the first that has had enough. */
export function createWatch(plan: ExecPlan, signal: AbortSignal) {
  let why: ExecEnd | null = null;
  let tell: (why: ExecEnd) => void = () => {};
  const stopped = new Promise<ExecEnd>((resolve) => {
    tell = resolve;
  });
  const stop = (reason: ExecEnd): void => {
    why ??= reason;
    tell(why);
  };
  const timer = (seconds: number, reason: ExecEnd): NodeJS.Timeout | undefined =>
    seconds > 0
      ? setTimeout(() => stop(reason), Math.min(seconds * 1_000, LONGEST_TIMER_MS))
      : undefined;
  const wall = timer(plan.timeoutSec, "timeout");
  const idle = timer(plan.idleTimeoutSec, "idle_timeout");
  const onAbort = (): void => stop("canceled");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    stopped,
    heard: () => void idle?.refresh(),
    why: () => why,
    release() {
      clearTimeout(wall);
      clearTimeout(idle);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
