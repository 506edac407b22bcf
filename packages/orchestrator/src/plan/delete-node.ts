import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { PlanDraft } from "./plan-draft.ts";

export interface Removed {
  readonly id: string;
  readonly title: string;
}

/** Nodes per step, and the most that one fact takes out: what it means is worked out in one go, by everyone. */
const STEP = 100;

/**
 * Soft delete: gone from plan and state, kept in history. A running task is cancelled first; whoever supervises its
 * attempt sees the attempt finished and stops the process. Returns what was removed. In steps, for a large subtree.
 */
export function* deleteNode(
  draft: PlanDraft,
  nodeId: string,
  cascade: boolean,
  at: string,
): Generator<undefined, Removed[]> {
  const node = draft.node(nodeId);
  const ids = cascade ? subtree(draft.state, node.id) : [node.id];
  const removed = ids.map((id) => ({ id, title: draft.state.nodes.get(id)?.title ?? id }));
  const open = openItems(draft.state);
  for (const [i, id] of ids.entries()) {
    if (i > 0 && i % STEP === 0) yield;
    cancelTasksOf(draft, id, open.get(id) ?? [], at);
  }
  const first = cascade ? partsBelow(draft.state, ids) : [];
  for (const [i, id] of first.entries()) {
    if (i > 0 && i % STEP === 0) yield;
    draft.add({ kind: "node.deleted", payload: { nodeId: id, cascade: true } });
  }
  draft.add({ kind: "node.deleted", payload: { nodeId: node.id, cascade } });
  return removed;
}

/** A node and all below it, parents first. */
function subtree(state: WorkspaceState, nodeId: string): string[] {
  const ids = [nodeId];
  for (const id of ids) ids.push(...(state.nodes.get(id)?.children ?? []));
  return ids;
}

/**
 * What has to go before the top of a subtree, so that no fact takes out more than a step: the largest parts that are
 * small enough, and above them the nodes whose children have gone by then.
 */
function partsBelow(state: WorkspaceState, ids: readonly string[]): string[] {
  const sizes = new Map<string, number>();
  for (const id of ids.toReversed()) {
    const children = state.nodes.get(id)?.children ?? [];
    sizes.set(
      id,
      children.reduce((sum, child) => sum + (sizes.get(child) ?? 0), 1),
    );
  }
  const isLarge = (id: string): boolean => (sizes.get(id) ?? 0) > STEP;
  const large = ids.filter(isLarge);
  return large
    .toReversed()
    .flatMap((id) => {
      const children = state.nodes.get(id)?.children ?? [];
      return [...children.filter((child) => !isLarge(child)).toReversed(), id];
    })
    .filter((id) => id !== ids[0]);
}

/** What waits for a person, by the task it is about. */
function openItems({ backlog }: WorkspaceState): ReadonlyMap<string, readonly BacklogItem[]> {
  const items = new Map<string, BacklogItem[]>();
  for (const item of backlog.values()) {
    if (item.resolvedAt !== null || item.taskId === null) continue;
    items.set(item.taskId, [...(items.get(item.taskId) ?? []), item]);
  }
  return items;
}

function cancelTasksOf(
  draft: PlanDraft,
  nodeId: string,
  open: readonly BacklogItem[],
  at: string,
): void {
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
  for (const { id } of open)
    draft.add({
      kind: "backlog.resolved",
      payload: { backlogId: id, resolution: "the task was deleted", choice: "drop" },
    });
}
