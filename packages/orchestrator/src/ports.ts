import type { Clock, NewId, Random } from "@multiverse/protocol/clock";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { PlanRequest } from "@multiverse/protocol/plan-request";
import type { RunEvent } from "@multiverse/protocol/run-event";
import type { Signal } from "@multiverse/protocol/signal";

/** What the orchestrator asks of the world. It knows neither models nor processes: `server` passes these in. */
export interface Ports {
  planPatch(request: PlanRequest, signal: AbortSignal): Promise<PlanPatch>;
  runs: RunTask;
  /** Files of the project that differ from its last commit; null where nothing is committed to. */
  uncommitted(): Promise<readonly string[] | null>;
  clock: Clock;
  newId: NewId;
  random: Random;
  /** Live events for whoever watches; never awaited, never allowed to break the caller. */
  signal(signal: Signal): void;
  log(level: "info" | "warn" | "error", message: string, fields?: Record<string, unknown>): void;
}

export interface RunRequest {
  readonly attemptId: string;
  readonly taskId: string;
  readonly epoch: number;
  readonly traceId: string;
  /** The generated Task YAML, given to agent-runner on stdin. */
  readonly taskYaml: string;
}

/** How a run that can no longer be heard ended, when it did not say so itself. */
export interface RunEnd {
  readonly how: "finished" | "died" | "malformed" | "lost" | "unstarted";
  /** The last output of the runner itself, for a person. */
  readonly stderrTail: string;
}

/**
 * One task's run, wherever it happens. Runs outlive the process that started them: after a restart `follow` hears
 * them again from the beginning, so events must be safe to hear twice.
 */
export interface RunTask {
  /** Resolves once the run exists durably enough to be found again by `follow`. */
  start(request: RunRequest): Promise<void>;
  /** Every event of the run from its beginning, until it ends; the return value says how. Unknown attempt: `lost`. */
  follow(attemptId: string, signal: AbortSignal): AsyncGenerator<RunEvent, RunEnd>;
  /** Asks the run to stop; it ends within 15 s, by force if needed. */
  stop(attemptId: string): Promise<void>;
}
