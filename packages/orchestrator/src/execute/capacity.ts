import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { DEFAULT_POOLS, type WorkerPool } from "@multiverse/protocol/worker-pools";

/** What may run at the same time: in all, per pool, and per agent of a pool. */
export interface Capacity extends Pick<Conditions, "total" | "limitedBy" | "defaultAgent"> {
  readonly pools: readonly WorkerPool[];
}

export const defaultPools: readonly WorkerPool[] = DEFAULT_POOLS.map((pool) => ({
  ...pool,
  description: "",
  agents: [],
}));

const MOST = 8;
const MEMORY_PER_TASK = 2 * 1_073_741_824;

/** As many as cores and memory carry, at least 1, at most 8; and which of these it is that allows no more. */
export function defaultTotal(
  cores: number,
  freeMemoryBytes: number,
): Pick<Capacity, "total" | "limitedBy"> {
  const byMemory = Math.floor(freeMemoryBytes / MEMORY_PER_TASK);
  const total = Math.max(1, Math.min(MOST, cores, byMemory));
  const limitedBy = byMemory < Math.min(cores, MOST) ? "memory" : cores < MOST ? "cores" : "most";
  return { total, limitedBy };
}
