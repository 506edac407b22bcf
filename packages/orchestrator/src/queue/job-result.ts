import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toCamel, toSnake } from "@multiverse/protocol/case";
import { AttemptFile } from "@multiverse/protocol/entity-files";
import { RunResult, type RunResult as Result } from "@multiverse/protocol/run-result";
import type { Task } from "@multiverse/protocol/task";
import { noUsage } from "@multiverse/protocol/usage";

/** A job being done, and what is known of its end. */
export interface Job {
  readonly id: string;
  readonly taskId: string;
  readonly result: Result | null;
  readonly attemptId: string | null;
}

/** Stands where there was no attempt: other tools may take the field as a name. */
const NO_ATTEMPT = "none";

/** What ipc/results/<job>.json says. */
export function resultText(job: Job, task: Task | undefined): string {
  const result = job.result ?? withoutResult(job.taskId, task);
  const document = { ...toSnake(result), job_id: job.id, attempt_id: job.attemptId ?? NO_ATTEMPT };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The result of an attempt that ended while nobody served the queue; null where it left none. */
export async function resultOf(workspaceDir: string, attemptId: string): Promise<Result | null> {
  const path = join(workspaceDir, "attempts", `${attemptId}.json`);
  const text = await readFile(path, "utf8").catch(() => "null");
  const attempt = AttemptFile.safeParse(JSON.parse(text));
  const result = RunResult.safeParse(attempt.data?.result);
  return result.success ? toCamel(result.data) : null;
}

/** A task can end without agent-runner ever saying so (cancelled, lost, deleted); the asker still gets an answer. */
const withoutResult = (taskId: string, task: Task | undefined): Result => ({
  taskId,
  status: "failed",
  state: "FAILED",
  summary: task ? `The task ended ${task.progress} without a result.` : "The task was deleted.",
  reason: "canceled",
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
});
