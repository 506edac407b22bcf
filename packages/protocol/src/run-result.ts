import { z } from "zod";
import type { Camel } from "./case.ts";
import { Count, IsoTime } from "./text.ts";
import { Usage } from "./usage.ts";

/** The result of one agent-runner run (spec page 10): a "done" that anyone can check. */

export const RUN_STATES = [
  "PENDING",
  "PLANNING",
  "RUNNING",
  "VALIDATING",
  "COMPLETE",
  "FAILED",
  "NEEDS_REVIEW",
] as const;
export type RunState = (typeof RUN_STATES)[number];
export const TERMINAL_STATES = [
  "COMPLETE",
  "FAILED",
  "NEEDS_REVIEW",
] as const satisfies readonly RunState[];

export const RUN_REASONS = [
  "max_loops",
  "meta_error",
  "unknown_action",
  "sandbox_error",
  "oom",
  "login_missing",
  "rate_limited",
  "no_progress",
  "budget_exceeded",
  "aborted",
  "canceled",
  "invalid_task",
] as const;
export type RunReason = (typeof RUN_REASONS)[number];

/** Proof that a check ran: what, how it ended, how long it took, and its last output. */
export const Evidence = z.object({
  command: z.string(),
  exit_code: z.int(),
  duration_ms: z.number(),
  tail: z.string(),
});
export type Evidence = Camel<z.output<typeof Evidence>>;

export const CriterionResult = z.object({
  id: z.string(),
  description: z.string(),
  passed: z.boolean(),
  comment: z.string(),
  evidence: Evidence.nullable(),
});
export type CriterionResult = Camel<z.output<typeof CriterionResult>>;

export const Validation = z.object({
  overall: z.enum(["passed", "failed", "unknown"]),
  commands: z.array(z.object({ command: z.string(), exit_code: z.int(), duration_ms: z.number() })),
  warnings: z.array(z.string()),
});
export type Validation = Camel<z.output<typeof Validation>>;

export const RunResult = z.object({
  task_id: z.string(),
  status: z.enum(["succeeded", "failed", "blocked"]),
  state: z.enum(TERMINAL_STATES),
  summary: z.string().min(1),
  reason: z.enum(RUN_REASONS).nullable(),
  question: z.object({ text: z.string(), options: z.array(z.string()) }).nullable(),
  retry_at: IsoTime.nullable(),
  criteria: z.array(CriterionResult),
  validation: Validation,
  artifacts: z.object({ files: z.array(z.string()), note: z.string().nullable() }),
  usage: Usage,
  worker_runs: Count,
  meta_calls: Count,
  loops: Count,
  duration_ms: z.number().nonnegative(),
  /** What the person can do next; present where the run did not succeed. */
  hint: z.string().optional(),
});
export type RunResult = Camel<z.output<typeof RunResult>>;
