import { z } from "zod";
import type { Camel } from "./case.ts";
import { Id } from "./id.ts";
import type { RunReason, Validation } from "./run-result.ts";
import { IsoTime, Text } from "./text.ts";
import type { Usage } from "./usage.ts";

export const TASK_STATUSES = [
  "PENDING",
  "READY",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "CANCELED",
  "SKIPPED",
  "BLOCKED",
  "RETRY_WAIT",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_KINDS = ["planning", "implementation", "test", "refactor", "analysis"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const RETRY_CAUSES = [
  "failure",
  "rate_limit",
  "lost",
  "infrastructure",
  "requested",
] as const;
export type RetryCause = (typeof RETRY_CAUSES)[number];

export const Answer = z.object({ question: Text, answer: Text });
export type Answer = z.output<typeof Answer>;

/** A task as a fact creates it; everything else about it follows from later facts. */
export const NewTask = z.object({
  id: Id,
  node_id: Id,
  kind: z.enum(TASK_KINDS),
  pool_id: z.string().max(100),
  priority: z.int().nullable(),
  goal: Text,
  constraints: z.array(Text),
  runner_max_loops: z.int().nullable(),
  runner_worker_kind: z.string().nullable(),
  created_at: IsoTime,
});
export type NewTask = Camel<z.output<typeof NewTask>>;

/** What is stored of a task's course. READY, BLOCKED and RETRY_WAIT are derived (status.ts), never stored. */
export type TaskProgress = "waiting" | "running" | "succeeded" | "failed" | "canceled" | "skipped";

/** What the last finished attempt came to, without the bulk of its evidence (that is in attempts/<id>.json). */
export interface TaskOutcome {
  readonly attemptId: string;
  readonly status: "succeeded" | "failed" | "blocked";
  readonly reason: RunReason | null;
  readonly summary: string;
  readonly criteria: readonly {
    id: string;
    description: string;
    passed: boolean;
    comment: string;
  }[];
  readonly validation: Validation;
  readonly files: readonly string[];
  readonly note: string | null;
}

export interface Task extends NewTask {
  readonly progress: TaskProgress;
  readonly updatedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Attempts ever started, counted or not. */
  readonly startCount: number;
  /** Attempts that count against the retry policy; lost, rate-limited and cancelled ones do not. */
  readonly attemptCount: number;
  readonly lostCount: number;
  readonly infraCount: number;
  readonly currentAttempt: string | null;
  readonly assignedAgent: string | null;
  readonly retryAt: string | null;
  readonly retryReason: string | null;
  /** Why it waits: a rate limit closes the gate for every task, a failure only for this one. */
  readonly retryCause: RetryCause | null;
  /** The backlog item whose answer this task waits for. */
  readonly waitingFor: string | null;
  /** Someone asked for this one task: it runs even while execution is not RUNNING. */
  readonly requested: boolean;
  /** A skipped task lets its dependants proceed only if the person said so. */
  readonly dependantsProceed: boolean;
  readonly answers: readonly Answer[];
  readonly outcome: TaskOutcome | null;
  readonly usage: Usage;
}
