import { find } from "@multiverse/protocol/find";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { inConflict, namesNoFiles } from "@multiverse/protocol/scheduling/conflict";
import { freeSlots } from "@multiverse/protocol/scheduling/slots";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { isWaitingForRetry } from "@multiverse/protocol/status";
import type { Task } from "@multiverse/protocol/task";

export interface Start {
  readonly task: Task;
  readonly node: PlanNode;
  readonly agentId: string;
}

export interface ScheduleInput {
  readonly now: number;
  readonly conditions: Conditions;
  /** Tasks that may be ready, best claim first. Those that are not are passed over. */
  readonly candidates: Iterable<string>;
}

/** Whether a task may start now, slots and conflicts aside. */
function isReady(state: WorkspaceState, task: Task, now: number): boolean {
  if (!state.index.runnable.has(task.id) || isWaitingForRetry(task, now)) return false;
  return state.execution.status === "RUNNING" || task.requested;
}

/** What is being worked on, for the rule that tasks in one working tree must not touch the same files. */
const runningNodes = (state: WorkspaceState): PlanNode[] =>
  [...state.index.running].flatMap((id) => state.nodes.get(find(state.tasks, id).nodeId) ?? []);

/** What starts now: `(state, now, free slots) → start these`. Pure. */
export function schedule(
  state: WorkspaceState,
  { now, conditions, candidates }: ScheduleInput,
): Start[] {
  const { gate, parallel, live } = conditions;
  if (gate.status === "closed") return [];
  const slots = freeSlots(state, conditions);
  const limit = gate.status === "probe" ? 1 : slots.free;
  const busy = runningNodes(state);
  const starts: Start[] = [];
  for (const id of candidates) {
    if (starts.length >= limit || slots.free <= 0) break;
    // A task that names no files shares the tree with nobody: no candidate can start beside it.
    if (parallel === "safe" && busy.some(namesNoFiles)) break;
    const task = state.tasks.get(id);
    const node = task && state.nodes.get(task.nodeId);
    if (!task || !node || !isReady(state, task, now) || live.includes(id)) continue;
    if (parallel === "safe" && busy.some((other) => inConflict(node, other))) continue;
    const taken = slots.take(task, node);
    if ("why" in taken) continue;
    starts.push({ task, node, agentId: taken.agentId });
    busy.push(node);
  }
  return starts;
}
