import type { WorkerRunResult } from "@multiverse/agents/worker";
import { warn } from "./run.ts";
import type { Run } from "./run.ts";
import type { WorkerRun } from "./task-context.ts";
import type { TreeState } from "./tree/tree.ts";
import { treeWarnings } from "./tree/warnings.ts";

const LOOK_MS = 30_000;
const AFTER_CANCEL_MS = 5_000;

/** A look at the tree before something happens to it; null where it cannot be looked at (a worker may have broken it). */
export async function look(run: Run, signal: AbortSignal): Promise<TreeState | null> {
  try {
    return await run.tree.look(signal);
  } catch (error) {
    if (run.signal.aborted) throw error;
    warn(run, `the working tree could not be looked at: ${messageOf(error)}`);
    return null;
  }
}

/** What a worker run left on disk, put into the context. A canceled run is looked at too: what it changed is still there. */
export async function account(
  run: Run,
  result: WorkerRunResult,
  before: TreeState | null,
): Promise<WorkerRun> {
  const logPath = run.workerLog.end();
  const found = await changesSince(run, before);
  const worked: WorkerRun = { ...result, changedFiles: found ?? [...result.files].sort(), logPath };
  run.context.workerRuns.push(worked);
  if (!found)
    run.context.files = [...new Set([...run.context.files, ...worked.changedFiles])].sort();
  return worked;
}

/** For a run that was cut off inside a worker call: what that call changed belongs into the result all the same. */
export async function accountForTheRest(run: Run): Promise<void> {
  if (!run.isUnaccounted) return;
  run.workerLog.end();
  await changesSince(run, null);
}

/** Paths changed since `before`; what changed since the run began goes into the context. Null: nobody could tell. */
async function changesSince(run: Run, before: TreeState | null): Promise<string[] | null> {
  // Not the run's own signal: a cancel must not keep us from saying what is there.
  const signal = AbortSignal.timeout(run.signal.aborted ? AFTER_CANCEL_MS : LOOK_MS);
  try {
    const after = await run.tree.look(signal);
    const changes = before ? await run.tree.changes(before, after, signal) : null;
    const net = run.baseline ? await run.tree.changes(run.baseline, after, signal) : [];
    run.context.files = net.map(({ path }) => path);
    run.context.warnings = treeWarnings(net);
    run.isUnaccounted = false;
    return changes?.map(({ path }) => path) ?? null;
  } catch (error) {
    warn(run, `what the worker changed could not be found out: ${messageOf(error)}`);
    return null;
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
