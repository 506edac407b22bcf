import { look } from "./accounting.ts";
import { askMeta } from "./ask-meta.ts";
import { criteriaOf, criterionResults } from "./criteria.ts";
import { mayGoOn, step } from "./run.ts";
import type { Run } from "./run.ts";
import { planRequestOf } from "./situation.ts";

/**
 * PENDING → PLANNING → RUNNING. The sandbox starts while the meta-agent plans: neither needs the other. The first of them
 * to fail ends both.
 */
export async function plan(run: Run): Promise<void> {
  mayGoOn(run);
  step(run, "start");
  const both = new AbortController();
  const signal = AbortSignal.any([run.signal, both.signal]);
  const jobs = [openWorker(run, signal), planTask(run, signal)];
  try {
    await Promise.all(jobs);
  } catch (error) {
    both.abort(error);
    await Promise.allSettled(jobs);
    throw error;
  }
  mayGoOn(run);
  step(run, "planned");
}

async function openWorker(run: Run, signal: AbortSignal): Promise<void> {
  await run.worker.open(signal);
  run.baseline = await look(run, signal);
}

async function planTask(run: Run, signal: AbortSignal): Promise<void> {
  run.log.info("calling Meta.PlanTask");
  const started = run.clock.monotonic();
  const answer = await askMeta(run, run.meta.planTask(planRequestOf(run.context), signal));
  run.context.criteria = criteriaOf(answer.acceptanceCriteria);
  run.log.info("PlanTask completed", {
    criteria_count: run.context.criteria.length,
    duration_ms: Math.round(run.clock.monotonic() - started),
  });
  run.emit({ type: "criteria", criteria: criterionResults(run.context.criteria) });
}
