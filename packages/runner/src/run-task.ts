import { accountForTheRest } from "./accounting.ts";
import { failing } from "./criteria.ts";
import { budgetProblem, overBudget, usageOf } from "./budget.ts";
import { isTerminal } from "./fsm.ts";
import { createProgressGuard } from "./no-progress.ts";
import { plan } from "./planning.ts";
import { elapsedMs, mayGoOn, step, warn } from "./run.ts";
import type { Run } from "./run.ts";
import { RunFailure, runEndOf } from "./run-failure.ts";
import type { RunPorts } from "./run-ports.ts";
import { newContext } from "./task-context.ts";
import type { RunEnd, TaskContext } from "./task-context.ts";
import type { ResolvedTask } from "./task-file/resolve-task.ts";
import { decideAndWork } from "./working.ts";
import { validate } from "./validating.ts";

/**
 * One task from PENDING to a final state. Never throws: whatever happens is in the context's `end`. The sandbox is gone
 * when it returns. Note, result and `finished` are the caller's.
 */
export async function runTask(
  task: ResolvedTask,
  ports: RunPorts,
  signal: AbortSignal,
): Promise<TaskContext> {
  const context = newContext(task, ports.clock.now(), ports.clock.monotonic());
  const time = timeLimit(task, signal);
  const run: Run = { ...ports, context, signal: time.signal, baseline: null, isUnaccounted: false };
  run.log.info("starting task execution", {
    task_id: task.id,
    title: task.title,
    state: context.state,
  });
  try {
    await plan(run);
    sayUnknownCost(run);
    await loop(run);
  } catch (error) {
    fail(run, error, signal);
  } finally {
    time.release();
    await closeWorker(run);
    await accountForTheRest(run);
    context.finishedAt = ports.clock.now();
    context.durationMs = Math.max(0, Math.round(elapsedMs(run)));
  }
  run.log.info("task finished", {
    final_state: context.state,
    worker_runs_count: context.workerRuns.length,
    meta_calls_count: context.metaCalls.length,
    duration_ms: context.durationMs,
  });
  return context;
}

/** A limit that nobody can keep is said, not passed over. */
function sayUnknownCost(run: Run): void {
  const { maxUsd } = run.context.task.budget;
  if (maxUsd !== undefined && usageOf(run.context).usd === null)
    warn(run, "runner.budget.max_usd: this meta-agent does not say what a call costs", {
      hint: "Set max_tokens or max_minutes as well.",
    });
}

/** RUNNING ⇄ VALIDATING until something final. Each way back to RUNNING is a loop, and their number is bounded. */
async function loop(run: Run): Promise<void> {
  const { context } = run;
  const progress = createProgressGuard();
  while (!isTerminal(context.state)) {
    const { worked } = await decideAndWork(run);
    if (isTerminal(context.state)) return;
    if (await validate(run)) {
      context.end = success(context);
      step(run, "satisfied");
      return;
    }
    const open = failing(context.criteria).map(({ id }) => id);
    const isStuck = worked !== null && progress.isStuck(worked.changedFiles.length, open);
    if (context.loops >= context.task.maxLoops) throw outOfLoops(context);
    if (isStuck) throw stuck(open);
    mayGoOn(run);
    context.loops += 1;
    step(run, "unsatisfied");
  }
}

const success = (context: TaskContext): RunEnd => ({
  status: "succeeded",
  reason: null,
  summary:
    context.assessment?.summary ||
    context.workerRuns.at(-1)?.summary ||
    "Every acceptance criterion is passed.",
  question: null,
  retryAt: null,
});

function outOfLoops(context: TaskContext): RunFailure {
  const open = failing(context.criteria).map(({ id }) => id);
  const what =
    open.length > 0
      ? `not passed: ${open.join(", ")}`
      : `the test command exited ${context.testResult?.exitCode}`;
  return new RunFailure(
    "max_loops",
    `Still not done after ${context.validations} validations; ${what}.`,
    {
      hint: "Read the comments and evidence in the note, make the task smaller or clearer, or raise runner.max_loops.",
    },
  );
}

const stuck = (open: readonly string[]): RunFailure =>
  new RunFailure(
    "no_progress",
    `Three worker runs in a row changed nothing and left the same criteria open: ${open.join(", ") || "the test command"}.`,
    {
      hint: "Read the last worker run in the note: the task may be unclear, impossible as written, or already done.",
    },
  );

function fail(run: Run, error: unknown, outer: AbortSignal): void {
  const { context } = run;
  // The time budget stops a run in the middle of a call, where it looks like a cancel from inside.
  const overTime = !outer.aborted && budgetProblem(context, elapsedMs(run));
  const isCut =
    run.signal.aborted || runEndOf(error, run.signal, "sandbox_error")?.reason === "canceled";
  const end =
    overTime && isCut ? overBudget(overTime).end : runEndOf(error, outer, "sandbox_error");
  if (end === null) run.log.error("the run broke", { error });
  context.end = end ?? broken(error);
  if (!isTerminal(context.state)) step(run, "fail");
}

const broken = (error: unknown): RunEnd => ({
  status: "failed",
  reason: null,
  summary: `Something broke on our side: ${error instanceof Error ? error.message : String(error)}`,
  question: null,
  retryAt: null,
  hint: "The log has the details; run the task again, and report it if it happens twice.",
});

/** `max_minutes` also ends what is under way. */
function timeLimit(
  { budget }: ResolvedTask,
  signal: AbortSignal,
): { signal: AbortSignal; release: () => void } {
  if (budget.maxMinutes === undefined) return { signal, release: () => {} };
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(),
    Math.min(budget.maxMinutes * 60_000, 2_147_000_000),
  );
  return { signal: AbortSignal.any([signal, limit.signal]), release: () => clearTimeout(timer) };
}

async function closeWorker(run: Run): Promise<void> {
  try {
    await run.worker.close();
  } catch (error) {
    warn(run, "the sandbox could not be removed", {
      error: error instanceof Error ? error.message : String(error),
    });
  }
}
