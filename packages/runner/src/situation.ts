import type { CompletionAssessmentRequest } from "@multiverse/protocol/meta/completion-assessment";
import type { RunSituation } from "@multiverse/protocol/meta/next-action";
import type { PlanTaskRequest } from "@multiverse/protocol/meta/plan-task";
import { checkCommand, failing } from "./criteria.ts";
import type { Criterion, TaskContext } from "./task-context.ts";
import { headAndTail, tailOf } from "./text-tail.ts";

const PRD_CHARS = 16_000;
const STDOUT_BYTES = 4_096;
const RUNS_SHOWN = 20;
const FILES_SHOWN = 200;

export const planRequestOf = ({ task }: TaskContext): PlanTaskRequest => ({
  task: {
    id: task.id,
    title: task.title,
    description: task.description,
    wbsLevel: task.wbsLevel,
    phaseName: task.phaseName,
    milestone: task.milestone,
    dependencies: [...task.dependencies],
  },
  prd: task.prdText,
  suggestedImpl: task.suggestedImpl,
  test: task.test,
});

/** What the run has come to, bounded, for the meta-agent's next decision. */
export function situationOf(context: TaskContext): RunSituation {
  const { task, testResult } = context;
  return {
    state: context.state,
    task: { id: task.id, title: task.title, prdSummary: headAndTail(task.prdText, PRD_CHARS) },
    acceptanceCriteria: context.criteria.map((criterion) => ({
      id: criterion.id,
      description: criterion.description,
      passed: criterion.passed,
      comment: commentOf(criterion),
      check: checkCommand(criterion),
    })),
    lastWorkerResult: lastWorkerResult(context),
    lastTestResult: testResult && {
      command: testResult.command,
      exitCode: testResult.exitCode,
      tail: testResult.tail,
    },
    lastAssessment: lastAssessment(context),
    warnings: [...context.warnings],
    workerRunsCount: context.workerRuns.length,
    loopsLeft: Math.max(0, task.maxLoops - context.loops),
    answers: [],
  };
}

/** A failed check tells more by its output than by its exit code. */
const commentOf = ({ comment, evidence }: Criterion): string =>
  evidence && evidence.exitCode !== 0 && evidence.tail.trim() !== ""
    ? `${comment}\n${evidence.tail.trim()}`
    : comment;

function lastWorkerResult({ workerRuns }: TaskContext): RunSituation["lastWorkerResult"] {
  const run = workerRuns.at(-1);
  if (!run) return { exists: false, exitCode: null, summary: "", stdoutTail: "", files: [] };
  const failure = run.failure ? `\n[${run.failure.kind}] ${run.failure.message}` : "";
  return {
    exists: true,
    exitCode: run.exitCode,
    summary: `${run.summary}${failure}`.trim(),
    stdoutTail: tailOf(run.rawOutput, STDOUT_BYTES),
    files: run.changedFiles.slice(0, FILES_SHOWN),
  };
}

function lastAssessment({ assessment, criteria }: TaskContext): RunSituation["lastAssessment"] {
  if (!assessment) return null;
  return {
    summary: assessment.summary,
    failed: failing(criteria).map(({ id, comment }) => ({ id, comment })),
    remainingRisks: assessment.details?.remainingRisks ?? [],
  };
}

export const assessmentRequestOf = (
  context: TaskContext,
  diffStat: string,
): CompletionAssessmentRequest => ({
  ...situationOf(context),
  workerRuns: context.workerRuns
    .slice(-RUNS_SHOWN)
    .map(({ id, exitCode, summary, changedFiles }) => ({
      id,
      exitCode,
      summary,
      files: changedFiles.slice(0, FILES_SHOWN),
    })),
  diffStat,
});
