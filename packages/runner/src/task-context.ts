import type { MetaCallLog } from "@multiverse/agents/meta/meta-agent";
import type { WorkerRunResult } from "@multiverse/agents/worker";
import type { CompletionAssessmentAnswer } from "@multiverse/protocol/meta/completion-assessment";
import type { PlannedCriterion } from "@multiverse/protocol/meta/criterion";
import type { Evidence, RunReason, RunResult, RunState } from "@multiverse/protocol/run-result";
import type { ResolvedTask } from "./task-file/resolve-task.ts";

export interface Criterion {
  readonly id: string;
  readonly description: string;
  readonly type: string;
  readonly critical: boolean;
  readonly check: PlannedCriterion["check"] | null;
  passed: boolean;
  comment: string;
  evidence: Evidence | null;
}

export interface WorkerRun extends WorkerRunResult {
  /** What really changed on disk, as the runner found out for itself. */
  readonly changedFiles: readonly string[];
  /** The whole output, relative to the repo; null where it could not be kept. */
  readonly logPath: string | null;
}

/** Why and how a run ended, before it becomes a result. */
export interface RunEnd {
  readonly status: RunResult["status"];
  readonly reason: RunReason | null;
  readonly summary: string;
  readonly hint?: string;
  readonly question: RunResult["question"];
  readonly retryAt: string | null;
}

/** Everything known about a run, in one record; the note, the result and the requests to the meta-agent are made from it. */
export interface TaskContext {
  readonly task: ResolvedTask;
  readonly startedAt: Date;
  readonly startedMs: number;
  state: RunState;
  finishedAt: Date | null;
  durationMs: number;
  criteria: Criterion[];
  readonly metaCalls: MetaCallLog[];
  readonly workerRuns: WorkerRun[];
  /** Commands of the last validation, in the order they ran. */
  commands: Evidence[];
  testResult: Evidence | null;
  assessment: CompletionAssessmentAnswer | null;
  loops: number;
  validations: number;
  /** Net changes since the run began. */
  files: readonly string[];
  warnings: readonly string[];
  end: RunEnd | null;
}

export const newContext = (
  task: ResolvedTask,
  startedAt: Date,
  startedMs: number,
): TaskContext => ({
  task,
  startedAt,
  startedMs,
  state: "PENDING",
  finishedAt: null,
  durationMs: 0,
  criteria: [],
  metaCalls: [],
  workerRuns: [],
  commands: [],
  testResult: null,
  assessment: null,
  loops: 0,
  validations: 0,
  files: [],
  warnings: [],
  end: null,
});
