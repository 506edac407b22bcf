import type { RunState } from "@multiverse/protocol/run-result";

/**
 * The life of a run. PENDING: the task was accepted. PLANNING: the meta-agent writes the acceptance criteria while the
 * sandbox starts. RUNNING: the meta-agent decides, the worker works. VALIDATING: checks, test, assessment. The rest is
 * final. Cancel is a `fail` like any other; the reason tells them apart.
 */
const TABLE = {
  PENDING: { start: "PLANNING", fail: "FAILED" },
  PLANNING: { planned: "RUNNING", fail: "FAILED" },
  RUNNING: { worked: "VALIDATING", claimed: "VALIDATING", asked: "NEEDS_REVIEW", fail: "FAILED" },
  VALIDATING: { satisfied: "COMPLETE", unsatisfied: "RUNNING", fail: "FAILED" },
  COMPLETE: {},
  FAILED: {},
  NEEDS_REVIEW: {},
} as const satisfies Record<RunState, Partial<Record<string, RunState>>>;

type Steps<T> = T extends unknown ? keyof T : never;
export type RunStep = Steps<(typeof TABLE)[RunState]>;

/** The state a step leads to. A step that is not in the table is a bug in the caller. */
export function nextState(state: RunState, step: RunStep): RunState {
  const steps: Partial<Record<RunStep, RunState>> = TABLE[state];
  const next = steps[step];
  if (next === undefined) throw new Error(`illegal transition: ${step} in ${state}`);
  return next;
}

export const isTerminal = (state: RunState): boolean => Object.keys(TABLE[state]).length === 0;

/** Every legal `from → to`, for tests and documentation. */
export const TRANSITIONS: readonly (readonly [RunState, RunState])[] = (
  Object.keys(TABLE) as RunState[]
).flatMap((from) => Object.values(TABLE[from]).map((to) => [from, to] as const));
