import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { tasksInPlanOrder } from "@multiverse/protocol/task-view";
import type { Weigh } from "./learned-durations.ts";

/** A task's claim to the next slot, larger first: set priority, then the longest remaining path, then plan order. */
export interface Claim {
  readonly priority: number;
  readonly remaining: number;
  readonly order: number;
}

export const compareClaims = (a: Claim, b: Claim): number =>
  b.priority - a.priority || b.remaining - a.remaining || a.order - b.order;

/** Nodes after which others have their turn, where there are many. */
const STEP = 500;

/**
 * Every task's claim, in O(plan) and in steps: done when the plan's structure changes, not when a task finishes. The
 * remaining path of a task is its own weight plus the longest remaining path among its dependants.
 */
export function* claims(
  state: WorkspaceState,
  weigh: Weigh,
): Generator<undefined, Map<string, Claim>> {
  const remaining = yield* remainingPaths(state, weigh);
  const tasks = tasksInPlanOrder(state);
  const known = new Map<string, Claim>();
  for (const [order, { id, nodeId, priority }] of tasks.entries()) {
    if (order % STEP === STEP - 1) yield;
    known.set(id, { priority: priority ?? 0, remaining: remaining.get(nodeId) ?? 0, order });
  }
  return known;
}

/**
 * Longest paths backwards from the ends of the plan; without recursion, since a chain of 10,000 is legal, and on plain
 * maps, which are several times faster to look into than those of the state.
 */
function* remainingPaths(
  state: WorkspaceState,
  weigh: Weigh,
): Generator<undefined, Map<string, number>> {
  const nodes = new Map<string, PlanNode>();
  const dependants = new Map<string, number>();
  for (const node of state.nodes.values()) {
    nodes.set(node.id, node);
    for (const id of node.dependencies) dependants.set(id, (dependants.get(id) ?? 0) + 1);
    if (nodes.size % STEP === 0) yield;
  }
  const ends = [...nodes.keys()].filter((id) => !dependants.has(id));
  const longest = new Map<string, number>();
  for (const [nth, id] of ends.entries()) {
    if (nth % STEP === STEP - 1) yield;
    const node = nodes.get(id);
    if (!node) continue;
    const task = state.tasks.get(id);
    const path = (longest.get(id) ?? 0) + (task ? weigh(task, node) : 0);
    longest.set(id, path);
    for (const dependency of node.dependencies) {
      longest.set(dependency, Math.max(longest.get(dependency) ?? 0, path));
      const left = (dependants.get(dependency) ?? 0) - 1;
      dependants.set(dependency, left);
      if (left === 0) ends.push(dependency);
    }
  }
  if (nodes.size > STEP) yield;
  return longest;
}
