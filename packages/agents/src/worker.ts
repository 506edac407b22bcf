import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { Usage } from "@multiverse/protocol/usage";
import type { CliFailure } from "./cli/agent-cli.ts";
import type { ExecPlan, ExecResult, OutputLine } from "./sandbox/sandbox.ts";

/** What one call of a coding CLI came to. A failed or timed-out run is a result, not an exception. */
export interface WorkerRunResult {
  readonly id: string;
  readonly tool: string;
  readonly model: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number | null;
  readonly succeeded: boolean;
  /** The last part of the output; the whole text is in `logPath` where one is kept. */
  readonly rawOutput: string;
  readonly outputLength: number;
  readonly summary: string;
  readonly failure: CliFailure | null;
  /** Files the CLI says it changed; the runner finds out for itself as well. */
  readonly files: readonly string[];
  readonly usage: Usage;
  readonly sessionId: string | null;
}

/**
 * The coding CLI of one task, in its sandbox. `open` starts the sandbox (once), `run` calls the CLI, `check` runs a
 * command (criteria checks, tests) in the same sandbox, `close` removes it and may be called at any time.
 */
export interface Worker {
  open(signal: AbortSignal): Promise<void>;
  run(call: WorkerCall, signal: AbortSignal): Promise<WorkerRunResult>;
  check(
    plan: Pick<ExecPlan, "command" | "workdir" | "timeoutSec">,
    signal: AbortSignal,
    onLine: (line: OutputLine) => void,
  ): Promise<ExecResult>;
  close(): Promise<void>;
}

/** Where a worker reports what happens while it works. */
export type WorkerReport = (event: RunEventBody) => void;
