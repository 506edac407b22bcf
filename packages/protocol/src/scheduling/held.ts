import type { PauseReason } from "../execution.ts";
import { find } from "../find.ts";
import type { PlanNode } from "../plan-node.ts";
import type { WorkspaceState } from "../state.ts";
import { isWaitingForRetry } from "../status.ts";
import type { Task } from "../task.ts";
import type { Conditions } from "./conditions.ts";
import { inConflict, namesNoFiles, sharedPaths } from "./conflict.ts";
import { freeSlots, type Lack } from "./slots.ts";

interface Other {
  readonly taskId: string;
  readonly title: string;
}

/** What holds back a task that waits for no other and for no answer. */
export type Held =
  | { readonly why: "idle" }
  | { readonly why: "paused"; readonly pausedFor: PauseReason | null }
  | { readonly why: "gate"; readonly until: string | null }
  | { readonly why: "ending" }
  /** The other names no files, so nothing runs beside it. */
  | ({ readonly why: "other_alone" } & Other)
  /** This one names no files, so it runs beside nothing. */
  | ({ readonly why: "alone" } & Other)
  /** Both touch these paths; none if the planner listed the two together. */
  | ({ readonly why: "conflict"; readonly paths: readonly string[] } & Other)
  | Lack;

/**
 * Why a task that could run does not run yet. Null where it runs, is over, waits for its retry time, starts in this very
 * moment, or is held by its dependencies or a question (`blockers` says which). Pure: the scheduler's own rules, asked
 * for one task.
 */
export function heldBy(
  state: WorkspaceState,
  task: Task,
  conditions: Conditions,
  now: number,
): Held | null {
  if (!state.index.runnable.has(task.id) || isWaitingForRetry(task, now)) return null;
  const { status, pausedFor } = state.execution;
  if (status === "IDLE" && !task.requested) return { why: "idle" };
  if (status === "PAUSED" && !task.requested) return { why: "paused", pausedFor };
  const { gate } = conditions;
  if (gate.status === "closed") return { why: "gate", until: gate.until };
  if (conditions.live.includes(task.id)) return { why: "ending" };
  const node = state.nodes.get(task.nodeId);
  if (!node) return null;
  const conflict = conditions.parallel === "safe" ? conflictOf(state, node) : null;
  if (conflict) return conflict;
  const taken = freeSlots(state, conditions).take(task, node);
  return "why" in taken ? taken : null;
}

function conflictOf(state: WorkspaceState, node: PlanNode): Held | null {
  for (const taskId of state.index.running) {
    const busy = state.nodes.get(find(state.tasks, taskId).nodeId);
    if (!busy || !inConflict(node, busy)) continue;
    const other = { taskId, title: busy.title };
    if (namesNoFiles(busy)) return { why: "other_alone", ...other };
    if (namesNoFiles(node)) return { why: "alone", ...other };
    return { why: "conflict", ...other, paths: sharedPaths(node, busy) };
  }
  return null;
}
