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
  state.nodes.get(state.nodes.get(nodeId)?.parentId ?? "")?.children.indexOf(nodeId) ?? -1;

/** Every task as people look at it, in plan order. Each is made when it is asked for: a large plan takes its time. */
export function* viewTasks(
  state: WorkspaceState,
  now: number,
  conditions: Conditions,
): Generator<TaskView> {
  for (const { task, order } of planOrder(state))
    yield viewTask(state, task, now, conditions, order);
}

/** Every task in plan order. */
export const tasksInPlanOrder = (state: WorkspaceState): Task[] =>
  [...planOrder(state)].map(({ task }) => task);

/** The tree walked depth first, a node's further tasks after its own; with the place of each node among its siblings. */
function* planOrder(state: WorkspaceState): Generator<{ task: Task; order: number }> {
  const stack = [{ id: ROOT_ID, order: -1 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { id, order } = top;
    const own = state.tasks.get(id);
    if (own) yield { task: own, order };
    for (const extra of [...(state.index.extraTasks.get(id) ?? [])].sort())
      yield { task: find(state.tasks, extra), order };
    const children = state.nodes.get(id)?.children ?? [];
    for (let i = children.length - 1; i >= 0; i--) stack.push({ id: children[i] ?? "", order: i });
  }
}
