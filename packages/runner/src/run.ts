import type { RunState } from "@multiverse/protocol/run-result";
import { budgetProblem, overBudget } from "./budget.ts";
import { nextState } from "./fsm.ts";
import type { RunStep } from "./fsm.ts";
import { canceled } from "./run-failure.ts";
import type { RunPorts } from "./run-ports.ts";
import type { TaskContext } from "./task-context.ts";
import type { TreeState } from "./tree/tree.ts";

/** One run under way: what is known, what it may use, and the only door through which its state changes. */
export interface Run extends RunPorts {
  readonly context: TaskContext;
  readonly signal: AbortSignal;
  /** The tree before the first worker run. */
  baseline: TreeState | null;
  /** A worker was called and what it changed is not in the context yet. */
  isUnaccounted: boolean;
}

export function step(run: Run, by: RunStep): void {
  const from: RunState = run.context.state;
  const to = nextState(from, by);
  run.context.state = to;
  run.log.info("state transition", { from, to });
  run.emit({ type: "state", from, to });
}

export const elapsedMs = (run: Run): number => run.clock.monotonic() - run.context.startedMs;

/** Before anything that costs: not canceled, and the budget has something left. */
export function mayGoOn(run: Run): void {
  if (run.signal.aborted) throw canceled();
  const problem = budgetProblem(run.context, elapsedMs(run));
  if (problem !== null) throw overBudget(problem);
}

/** Something a person should know that does not stop the run: into the log and into the events. */
export function warn(
  run: Pick<Run, "log" | "emit">,
  message: string,
  fields: Record<string, unknown> = {},
): void {
  run.log.warn(message, fields);
  run.emit({ type: "log", level: "warn", message, fields });
}
