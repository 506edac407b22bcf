import { z } from "zod";
import type { Camel } from "./case.ts";
import { Id } from "./id.ts";
import type { RunReason } from "./run-result.ts";
import { Count, IsoTime } from "./text.ts";
import type { Usage } from "./usage.ts";

export const ATTEMPT_STATUSES = [
  "STARTING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "TIMEOUT",
  "CANCELED",
  "LOST",
] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** An attempt as `attempt.started` records it, before its process exists. */
export const NewAttempt = z.object({
  id: Id,
  task_id: Id,
  number: z.int().positive(),
  /** Grows with every restore; results of an older epoch are ignored. */
  epoch: Count,
  pool_id: z.string(),
  agent_id: z.string(),
  tool: z.string(),
  model: z.string(),
  trace_id: z.string(),
  started_at: IsoTime,
});
export type NewAttempt = Camel<z.output<typeof NewAttempt>>;

export interface Attempt extends NewAttempt {
  readonly status: AttemptStatus;
  readonly finishedAt: string | null;
  readonly errorSummary: string | null;
  readonly reason: RunReason | null;
  readonly summary: string;
  readonly usage: Usage;
}
