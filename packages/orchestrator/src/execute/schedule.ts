import { find } from "@multiverse/protocol/find";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { isWaitingForRetry } from "@multiverse/protocol/status";
import type { Task } from "@multiverse/protocol/task";
import { inConflict, namesNoFiles } from "./conflict.ts";
import { freeSlots, type Capacity } from "./slots.ts";

export interface Start {
  readonly task: Task;
  readonly node: PlanNode;
  readonly agentId: string;
}

export interface ScheduleInput {
  readonly now: number;
  readonly capacity: Capacity;
  /** Tasks that may be ready, best claim first. Those that are not are passed over. */
  readonly candidates: Iterable<string>;
  /** `always` lifts the rule that tasks in one working tree must not touch the same files. */
  readonly parallel: "safe" | "always";
  /** Closed by a rate limit: `closed` starts nothing, `probe` starts one. */
  readonly gate: "open" | "probe" | "closed";
  /** Whether an earlier run of the task is still on its way out: a task has one live run at most. */
  readonly isEnding: (taskId: string) => boolean;
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
export function schedule(state: WorkspaceState, input: ScheduleInput): Start[] {
  if (input.gate === "closed") return [];
  const slots = freeSlots(state, input.capacity);
  const limit = input.gate === "probe" ? 1 : slots.free;
  const busy = runningNodes(state);
  const starts: Start[] = [];
  for (const id of input.candidates) {
    if (starts.length >= limit || slots.free <= 0) break;
    // A task that names no files shares the tree with nobody: no candidate can start beside it.
    if (input.parallel === "safe" && busy.some(namesNoFiles)) break;
    const task = state.tasks.get(id);
    const node = task && state.nodes.get(task.nodeId);
    if (!task || !node || !isReady(state, task, input.now) || input.isEnding(id)) continue;
    if (input.parallel === "safe" && busy.some((other) => inConflict(node, other))) continue;
    const agentId = slots.take(task, node);
    if (agentId === null) continue;
    starts.push({ task, node, agentId });
    busy.push(node);
  }
  return starts;
}
