import type { RunResult, Validation } from "@multiverse/protocol/run-result";
import { noUsage } from "@multiverse/protocol/usage";
import { usageOf } from "./budget.ts";
import { criterionResults } from "./criteria.ts";
import type { TaskContext } from "./task-context.ts";

/** The result of a run that has ended. `note` is where the note is, relative to the repo. */
export function resultOf(context: TaskContext, note: string | null): RunResult {
  const { end, state } = context;
  if (!end || (state !== "COMPLETE" && state !== "FAILED" && state !== "NEEDS_REVIEW")) {
    throw new Error(`a run in ${state} has no result yet`);
  }
  return {
    taskId: context.task.id,
    status: end.status,
    state,
    summary: end.summary.trim() || "The run ended without a summary.",
    reason: end.reason,
    question: end.question,
    retryAt: end.retryAt,
    criteria: criterionResults(context.criteria),
    validation: validationOf(context),
    artifacts: { files: [...context.files], note },
    usage: usageOf(context),
    workerRuns: context.workerRuns.length,
    metaCalls: context.metaCalls.length,
    loops: context.loops,
    durationMs: context.durationMs,
    ...(end.hint === undefined ? {} : { hint: end.hint }),
  };
}

function validationOf({ state, validations, commands, warnings }: TaskContext): Validation {
  return {
    overall: state === "COMPLETE" ? "passed" : validations > 0 ? "failed" : "unknown",
    commands: commands.map(({ command, exitCode, durationMs }) => ({
      command,
      exitCode,
      durationMs,
    })),
    warnings: [...warnings],
  };
}

/** The result of a task that never began: refused, or canceled before it was read. */
export const refusedResult = (
  taskId: string,
  reason: "invalid_task" | "canceled" | null,
  summary: string,
  hint: string,
): RunResult => ({
  taskId,
  status: "failed",
  state: "FAILED",
  summary,
  reason,
  question: null,
  retryAt: null,
  criteria: [],
  validation: { overall: "unknown", commands: [], warnings: [] },
  artifacts: { files: [], note: null },
  usage: noUsage,
  workerRuns: 0,
  metaCalls: 0,
  loops: 0,
  durationMs: 0,
  hint,
});
