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
): TaskView {
  const held = conditions ? heldBy(state, task, conditions, now) : null;
  const node = state.nodes.get(task.nodeId);
  const runtime = state.runtimes.get(task.nodeId);
  const siblings = state.nodes.get(node?.parentId ?? "")?.children ?? [];
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
    order: siblings.indexOf(task.nodeId),
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

/** Every task in plan order: the tree walked depth first, a node's further tasks after its own. */
export function tasksInPlanOrder(state: WorkspaceState): Task[] {
  const tasks: Task[] = [];
  const stack = [ROOT_ID];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const own = state.tasks.get(id);
    if (own) tasks.push(own);
    for (const extra of [...(state.index.extraTasks.get(id) ?? [])].sort())
      tasks.push(find(state.tasks, extra));
    for (const child of (state.nodes.get(id)?.children ?? []).toReversed()) stack.push(child);
  }
  return tasks;
}
