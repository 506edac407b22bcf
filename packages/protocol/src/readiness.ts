import type { NodeRuntime, PlanNode } from "./plan-node.ts";
import type { Task } from "./task.ts";

/** Records by id: a state's maps, or plain ones while a state is being loaded. */
export interface Lookup<T> {
  get(id: string): T | undefined;
  has(id: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<T>;
}

export interface Plan {
  readonly nodes: Lookup<PlanNode>;
  readonly tasks: Lookup<Task>;
  readonly runtimes: Lookup<NodeRuntime>;
}

/** Whether a node counts as done for those who depend on it. */
export function isSatisfied(state: Plan, nodeId: string): boolean {
  const status = state.runtimes.get(nodeId)?.status;
  if (status === "implemented" || status === "verified") return true;
  const task = state.tasks.get(nodeId);
  return task?.progress === "skipped" && task.dependantsProceed;
}

/** Dependencies of a node that are not yet met; what is not in the plan does not count. */
export function countUnmet(state: Plan, nodeId: string): number {
  const node = state.nodes.get(nodeId);
  if (!node) return 0;
  return node.dependencies.reduce(
    (n, id) => (state.nodes.has(id) && !isSatisfied(state, id) ? n + 1 : n),
    0,
  );
}

/** A further task of a node (test, refactor) also waits for the node itself. */
export const isFurtherTask = (task: Pick<Task, "id" | "nodeId">): boolean =>
  task.id !== task.nodeId;

/** Whether a task waits for nothing but a slot, its retry time or the start of execution. */
export function isRunnable(state: Plan, unmet: number, task: Task): boolean {
  if (task.progress !== "waiting" || task.waitingFor !== null || unmet > 0) return false;
  return !isFurtherTask(task) || isSatisfied(state, task.nodeId);
}
