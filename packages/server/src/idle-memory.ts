import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Gives memory back after a burst of work; by itself the engine keeps it until it needs to collect again. */
export interface IdleMemory {
  /** Something happened: quiet begins anew. */
  readonly busy: () => void;
  stop(): void;
}

const QUIET_MS = 4_000;
/** Pages are handed back by collections after the one that emptied them. */
const ROUNDS = 3;
/** Below this it is not worth the pause. */
const GROWN_BYTES = 16 * 1_048_576;
/** A collection takes as long as there is to keep: above this, the engine may choose the moment itself. */
const LARGE_HEAP_BYTES = 128 * 1_048_576;

export function createIdleMemory(): IdleMemory {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let last = process.memoryUsage().rss;
  let rounds = 0;
  const timer = setTimeout(() => {
    const { rss, heapUsed } = process.memoryUsage();
    if (rounds === 0 && (rss - last < GROWN_BYTES || heapUsed > LARGE_HEAP_BYTES)) return;
    collect();
    last = process.memoryUsage().rss;
    rounds = (rounds + 1) % ROUNDS;
    if (rounds > 0) timer.refresh();
  }, QUIET_MS).unref();
  return { busy: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}
