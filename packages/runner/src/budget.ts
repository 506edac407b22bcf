import { addUsage, noUsage } from "@multiverse/protocol/usage";
import type { Usage } from "@multiverse/protocol/usage";
import { RunFailure } from "./run-failure.ts";
import type { TaskContext } from "./task-context.ts";

/** Everything the run has spent so far, meta-agent and worker together. */
export const usageOf = (context: Pick<TaskContext, "metaCalls" | "workerRuns">): Usage =>
  [...context.metaCalls, ...context.workerRuns].map(({ usage }) => usage).reduce(addUsage, noUsage);

/** Why nothing more may be spent, or null. */
export function budgetProblem(context: TaskContext, elapsedMs: number): string | null {
  const { maxTokens, maxUsd, maxMinutes } = context.task.budget;
  const usage = usageOf(context);
  const tokens = usage.inputTokens + usage.outputTokens;
  if (maxTokens !== undefined && tokens >= maxTokens)
    return `${tokens} of ${maxTokens} tokens are used`;
  if (maxUsd !== undefined && usage.usd !== null && usage.usd >= maxUsd)
    return `${usage.usd.toFixed(2)} of ${maxUsd} USD are used`;
  if (maxMinutes !== undefined && elapsedMs >= maxMinutes * 60_000)
    return `the run took its ${maxMinutes} minutes`;
  return null;
}

export const overBudget = (problem: string): RunFailure =>
  new RunFailure("budget_exceeded", `The budget is used up: ${problem}.`, {
    hint: "Raise runner.budget in the task, or split the task into smaller ones.",
  });
