import type { WorkerRunResult } from "@multiverse/agents/worker";
import { MORE_MEMORY } from "@multiverse/agents/worker/out-of-memory";
import type { NextActionAnswer, WorkerCall } from "@multiverse/protocol/meta/next-action";
import { account, look } from "./accounting.ts";
import { askMeta } from "./ask-meta.ts";
import { narrowWorkerCall } from "./narrow-worker-call.ts";
import { mayGoOn, step, warn } from "./run.ts";
import type { Run } from "./run.ts";
import { RunFailure, canceled } from "./run-failure.ts";
import { situationOf } from "./situation.ts";
import type { WorkerRun } from "./task-context.ts";

/** Asks what to do next and does it. Leaves the run in VALIDATING or NEEDS_REVIEW. */
export async function decideAndWork(run: Run): Promise<{ worked: WorkerRun | null }> {
  mayGoOn(run);
  const request = { ...situationOf(run.context), patterns: [...run.patterns.list] };
  const answer = await askMeta(run, run.meta.nextAction(request, run.signal));
  mayGoOn(run);
  const { action, reason } = answer.decision;
  switch (action) {
    case "run_worker":
      return { worked: await work(run, answer) };
    case "mark_complete":
      step(run, "claimed");
      return { worked: null };
    case "ask_human":
      ask(run, answer);
      return { worked: null };
    case "abort":
      throw new RunFailure("aborted", `The meta-agent gave up: ${reason || "it gave no reason"}`, {
        hint: "Read the reason; change the task or the repo accordingly and run it again.",
      });
    default:
      throw unknownAction(action);
  }
}

function ask(run: Run, { question, decision }: NextActionAnswer): void {
  const asked = question ?? {
    text: decision.reason || "The meta-agent needs a decision to go on.",
    options: [],
  };
  run.context.end = {
    status: "blocked",
    reason: null,
    summary: `Waiting for an answer: ${asked.text}`,
    question: asked,
    retryAt: null,
    hint: "Answer the question and run the task again with the answer in its PRD.",
  };
  step(run, "asked");
}

const unknownAction = (action: string): RunFailure =>
  new RunFailure(
    "unknown_action",
    `The meta-agent answered with an action that does not exist: ${JSON.stringify(action)}.`,
    {
      hint: "Run the task again, or choose another model with --meta-model or runner.meta.model.",
    },
  );

async function work(run: Run, { workerCall, usedPatterns }: NextActionAnswer): Promise<WorkerRun> {
  if (!workerCall) throw unknownAction("run_worker without worker_call");
  const call = prepare(run, workerCall, usedPatterns);
  const before = await look(run, run.signal);
  run.log.info("worker started", { prompt_length: call.prompt.length });
  await run.workerLog.begin();
  run.isUnaccounted = true;
  const result = await run.worker.run(call, run.signal);
  run.log.info("worker completed", {
    exit_code: result.exitCode,
    output_length: result.outputLength,
    duration_ms: durationOf(result),
  });
  run.log.debug("worker output", { output: result.rawOutput });
  const worked = await account(run, result, before);
  report(run, worked);
  if (run.signal.aborted) throw canceled();
  endOnOutsideCause(worked);
  mayGoOn(run);
  step(run, "worked");
  return worked;
}

const durationOf = ({ startedAt, finishedAt }: WorkerRunResult): number =>
  Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));

function prepare(run: Run, workerCall: WorkerCall, usedPatterns: readonly string[]): WorkerCall {
  const { call, dropped } = narrowWorkerCall(workerCall, run.context.task);
  for (const what of dropped) warn(run, `worker_call narrowed: ${what}`);
  const { prompt, unknown } = run.patterns.expand(call.prompt, usedPatterns);
  if (unknown.length > 0)
    warn(run, "the meta-agent named unknown command patterns", { patterns: [...unknown] });
  return { ...call, prompt };
}

/** Said by the runner, not by the worker: only here is it known what really changed on disk. */
function report({ emit }: Run, worked: WorkerRun): void {
  emit({
    type: "worker",
    phase: "completed",
    runId: worked.id,
    tool: worked.tool,
    model: worked.model,
    exitCode: worked.exitCode,
    summary: worked.summary,
    files: [...worked.changedFiles],
    durationMs: durationOf(worked),
    usage: worked.usage,
  });
}

/** A worker that fails is the meta-agent's business; a missing login, a limit of any kind is nobody's in here. */
function endOnOutsideCause({ tool, failure }: WorkerRun): void {
  if (failure?.kind === "login") {
    throw new RunFailure("login_missing", failure.message, {
      hint: `Log in to ${tool}, or set its API key, and run again.`,
    });
  }
  if (failure?.kind === "oom") {
    throw new RunFailure("oom", failure.message, { hint: MORE_MEMORY });
  }
  if (failure?.kind === "rate_limited") {
    const hint = failure.retryAt
      ? `Run again after ${failure.retryAt}.`
      : "Run again later, or add another worker to runner.tooling.";
    throw new RunFailure("rate_limited", failure.message, { hint, retryAt: failure.retryAt });
  }
}
