import type { TaskView } from "./http/task-view.ts";
import { find } from "./find.ts";
import { ROOT_ID } from "./plan-node.ts";
import type { Conditions } from "./scheduling/conditions.ts";
import { heldBecause } from "./scheduling/held-because.ts";
import { heldBy } from "./scheduling/held.ts";
import type { WorkspaceState } from "./state.ts";
import { blockedBecause, isWaitingForRetry, statusOf } from "./status.ts";
import type { Task } from "./task.ts";

/**
 * Node, task and runtime joined into what people look at; the server's routes and the browser's panels use the same.
 * Without the conditions nothing is known about what holds a task that could run.
 */
export function viewTask(
  state: WorkspaceState,
  task: Task,
  now: number,
  conditions?: Conditions,
  order = orderOf(state, task.nodeId),
): TaskView {
  const held = conditions ? heldBy(state, task, conditions, now) : null;
  const node = state.nodes.get(task.nodeId);
  const runtime = state.runtimes.get(task.nodeId);
  return {
    id: task.id,
    nodeId: task.nodeId,
    title: node?.title || task.id,
    description: node?.description ?? "",
    status: statusOf(state, task, now),
    kind: task.kind,
    poolId: task.poolId,
    priority: task.priority,
    phaseName: node?.phaseName ?? "",
    milestone: node?.milestone ?? "",
    wbsLevel: node?.wbsLevel ?? 0,
    workType: node?.workType ?? "",
    domain: node?.domain ?? "",
    tags: [...(node?.tags ?? [])],
    effort: node?.effort ?? null,
    dependencies: [...(node?.dependencies ?? [])],
    parentId: node?.parentId ?? null,
    order,
    blockedBecause: blockedBecause(state, task),
    heldBecause: held && heldBecause(held),
    acceptanceCriteria: [...(node?.acceptanceCriteria ?? [])],
    suggestedImpl: node?.suggestedImpl ?? null,
    test: node?.test ?? null,
    nodeStatus: runtime?.status ?? "planned",
    verification: runtime?.verification ?? "not_tested",
    attemptCount: task.attemptCount,
    currentAttempt: task.currentAttempt,
    nextRetryAt: isWaitingForRetry(task, now) ? task.retryAt : null,
    retryReason: isWaitingForRetry(task, now) ? task.retryReason : null,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    startedAt: task.startedAt,
    doneAt: task.finishedAt,
    outcome: task.outcome
      ? { ...task.outcome, criteria: [...task.outcome.criteria], files: [...task.outcome.files] }
      : null,
    usage: task.usage,
  };
}

/** Where a node stands among its siblings. */
const orderOf = (state: WorkspaceState, nodeId: string): number =>
  childrenOf(state, state.nodes.get(nodeId)?.parentId ?? "").indexOf(nodeId);

const childrenOf = (state: WorkspaceState, nodeId: string): readonly string[] =>
  state.nodes.get(nodeId)?.children ?? [];

/** Every task as people look at it, in plan order. Each is made when it is asked for: a large plan takes its time. */
export function* viewTasks(
  state: WorkspaceState,
  now: number,
  conditions: Conditions,
): Generator<TaskView> {
  const order = new Map<string, number>();
  for (const { children } of state.nodes.values())
    for (const [index, child] of children.entries()) order.set(child, index);
  for (const task of tasksInPlanOrder(state))
    yield viewTask(state, task, now, conditions, order.get(task.nodeId) ?? -1);
}

/** Every task in plan order: the tree walked depth first, a node's further tasks after its own. */
export function tasksInPlanOrder(state: WorkspaceState): Task[] {
  const tasks: Task[] = [];
  const stack = [ROOT_ID];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const own = state.tasks.get(id);
    if (own) tasks.push(own);
    for (const extra of [...(state.index.extraTasks.get(id) ?? [])].sort())
      tasks.push(find(state.tasks, extra));
    for (const child of childrenOf(state, id).toReversed()) stack.push(child);
  }
  return tasks;
}
