/** Whether tasks are started. A pause by a person is lifted only by a person, one for a question by its answer. */
export const EXECUTION_STATUSES = ["IDLE", "RUNNING", "PAUSED"] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
export const PAUSE_REASONS = ["person", "question", "shutdown"] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

export interface Execution {
  readonly status: ExecutionStatus;
  readonly pausedFor: PauseReason | null;
  readonly since: string | null;
}
