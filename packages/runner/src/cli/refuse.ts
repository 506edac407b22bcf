import { createMask, secretsOf } from "@multiverse/agents/secrets";
import { MultiverseError, errorBody } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import { vocabulary } from "../output/vocabulary.ts";
import { refusedResult } from "../result.ts";
import type { Command } from "./agent-runner.ts";
import { processEvent } from "./process-event.ts";
import { sayError } from "./say-error.ts";
import { writeResult } from "./write-result.ts";

/**
 * The task never began: it was refused, or (error null) canceled before it was read, or we broke. The error, `finished`
 * and the result file are all that is written.
 */
export async function refuse(command: Command, error: unknown): Promise<number> {
  const { host, options, reporter, signals } = command;
  const mask = createMask(secretsOf(host.env), vocabulary());
  const result = resultOf(error);
  const stamp = { traceId: await command.traceId(), taskId: result.taskId };
  const tell = (event: RunEventBody): void => reporter.tell(event, new Date(), stamp, mask);
  if (error !== null) host.stderr.write(mask.mask(sayError(error)));
  if (!reporter.isUsed()) tell(processEvent(host.pid));
  if (error !== null) {
    tell({ type: "log", level: "error", message: result.summary, fields: { hint: result.hint } });
  }
  try {
    if (!options.dryRun) await writeResult(options.resultPath, result, mask);
  } catch (failure) {
    host.stderr.write(sayError(failure));
  }
  tell({ type: "finished", result });
  return signals.exitCode() ?? 1;
}

function resultOf(error: unknown): RunResult {
  const { message, hint } = errorBody(error).error;
  if (error === null) {
    const summary = "The run was canceled before the task was read.";
    return refusedResult("unknown", "canceled", summary, "Run it again.");
  }
  const reason = error instanceof MultiverseError ? "invalid_task" : null;
  return refusedResult(taskIdOf(error), reason, message, hint);
}

const taskIdOf = (error: unknown): string =>
  error instanceof Error && "taskId" in error && typeof error.taskId === "string"
    ? error.taskId
    : "unknown";
