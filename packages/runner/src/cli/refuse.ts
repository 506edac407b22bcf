import { createMask, secretsOf } from "@multiverse/agents/secrets";
import { errorBody } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { refusedResult } from "../result.ts";
import { sayError } from "./agent-runner.ts";
import type { Command } from "./agent-runner.ts";
import { processEvent } from "./process-event.ts";
import { writeResult } from "./write-result.ts";

/**
 * The task never began: it was refused, or (error null) canceled before it was read. The error, `finished` and the
 * result file are all that is written.
 */
export async function refuse(command: Command, error: unknown): Promise<number> {
  const { host, options, reporter, signals } = command;
  const mask = createMask(secretsOf(host.env));
  const { message, hint } = errorBody(error).error;
  const result =
    error === null
      ? refusedResult(
          "unknown",
          "canceled",
          "The run was canceled before the task was read.",
          "Run it again.",
        )
      : refusedResult(taskIdOf(error), "invalid_task", message, hint);
  const stamp = { traceId: await command.traceId(), taskId: result.taskId };
  const emit = (event: RunEventBody): void => reporter.emit(event, new Date(), stamp, mask);
  if (error !== null) host.stderr.write(mask.mask(sayError(error)));
  if (options.json || options.eventsPath !== undefined) emit(processEvent(host.pid));
  if (error !== null) emit({ type: "log", level: "error", message, fields: { hint } });
  if (!options.dryRun) await writeResult(options.resultPath, result, mask);
  if (options.json || options.eventsPath !== undefined) emit({ type: "finished", result });
  return signals.exitCode() ?? 1;
}

const taskIdOf = (error: unknown): string =>
  error instanceof Error && "taskId" in error && typeof error.taskId === "string"
    ? error.taskId
    : "unknown";
