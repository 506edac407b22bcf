import type { PlanDraft } from "./plan-draft.ts";

/**
 * Soft delete: gone from plan and state, kept in history. A running task is cancelled first; whoever supervises its
 * attempt sees the attempt finished and stops the process. Returns what was removed.
 */
export function deleteNode(
  draft: PlanDraft,
  nodeId: string,
  cascade: boolean,
  at: string,
): { id: string; title: string }[] {
  const node = draft.node(nodeId);
  const ids = [node.id];
  if (cascade) for (const id of ids) ids.push(...(draft.state.nodes.get(id)?.children ?? []));
  for (const id of ids) cancelTasksOf(draft, id, at);
  const removed = ids.map((id) => ({ id, title: draft.state.nodes.get(id)?.title ?? id }));
  draft.add({ kind: "node.deleted", payload: { nodeId: node.id, cascade } });
  return removed;
}

function cancelTasksOf(draft: PlanDraft, nodeId: string, at: string): void {
  for (const taskId of [nodeId, ...(draft.state.index.extraTasks.get(nodeId) ?? [])]) {
    const task = draft.state.tasks.get(taskId);
    if (task?.progress !== "running" || !task.currentAttempt) continue;
    const attemptId = task.currentAttempt;
    draft.add(
      {
        kind: "attempt.finished",
        payload: {
          attemptId,
          taskId,
          status: "CANCELED",
          finishedAt: at,
          errorSummary: "the task was deleted",
          result: null,
        },
      },
      { kind: "task.canceled", payload: { taskId, attemptId, stopped: false } },
    );
  }
  const open = [...draft.state.backlog.values()].filter(
    (item) => item.taskId === nodeId && item.resolvedAt === null,
  );
  for (const { id } of open)
    draft.add({
      kind: "backlog.resolved",
      payload: { backlogId: id, resolution: "the task was deleted", choice: "drop" },
    });
}
