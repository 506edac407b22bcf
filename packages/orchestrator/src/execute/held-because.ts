import { find } from "@multiverse/protocol/find";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { inConflict, namesNoFiles } from "./conflict.ts";
import { freeSlots, type Capacity } from "./slots.ts";

/**
 * Why a task that could run does not run yet, as one sentence for a person: a slot, or another task in the same working
 * tree. Null where that is not what holds it (see `blockedBecause` for dependencies and answers). Pure.
 */
export function heldBecause(
  state: WorkspaceState,
  taskId: string,
  capacity: Capacity,
  parallel: "safe" | "always",
): string | null {
  const task = state.tasks.get(taskId);
  if (!task || !state.index.runnable.has(taskId)) return null;
  if (state.execution.status !== "RUNNING" && !task.requested) return null;
  const node = find(state.nodes, task.nodeId);
  const conflict = parallel === "safe" ? conflictOf(state, node) : null;
  if (conflict) return conflict;
  const slots = freeSlots(state, capacity);
  if (slots.free <= 0) return `waiting for a slot: all ${capacity.total} are taken`;
  return slots.take(task, node) === null ? `waiting for a slot in pool ${task.poolId}` : null;
}

function conflictOf(state: WorkspaceState, node: PlanNode): string | null {
  const running = [...state.index.running].map((id) =>
    find(state.nodes, find(state.tasks, id).nodeId),
  );
  const other = running.find((busy) => inConflict(node, busy));
  if (!other) return null;
  if (namesNoFiles(other)) return `waiting for ${other.title}, which names no files and runs alone`;
  if (namesNoFiles(node)) return `names no files, so it runs alone; waiting for ${other.title}`;
  return `conflicts with ${other.title}, which is running`;
}
