import { z } from "zod";

/** What allows no more tasks at once: a setting, the cores, free memory, or the most we ever run by default. */
const TOTAL_LIMITS = ["setting", "cores", "memory", "most"] as const;

/**
 * What decides beside the plan whether a task starts now. It belongs to the machine and the moment, so it is no part of
 * the state; with both of them anybody can tell why a task waits (`held.ts`).
 */
export const Conditions = z.object({
  /** Tasks at once, in all. */
  total: z.int(),
  limitedBy: z.enum(TOTAL_LIMITS),
  pools: z.array(
    z.object({
      id: z.string(),
      maxParallel: z.int().optional(),
      agents: z.array(
        z.object({
          agentId: z.string(),
          maxParallel: z.int(),
          capabilities: z.array(z.string()),
        }),
      ),
    }),
  ),
  /** The agent that works where a pool names none. */
  defaultAgent: z.string(),
  /** `always` lifts the rule that tasks in one working tree must not touch the same files. */
  parallel: z.enum(["safe", "always"]),
  /** Closed by a rate limit: `closed` starts nothing, `probe` starts one. */
  gate: z.object({ status: z.enum(["open", "probe", "closed"]), until: z.string().nullable() }),
  /** Tasks of which a run goes on; one that is to run again waits for its end, since it has one live run at most. */
  live: z.array(z.string()),
});
export type Conditions = z.output<typeof Conditions>;
