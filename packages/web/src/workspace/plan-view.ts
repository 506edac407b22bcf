import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import { TASK_STATUSES, type TaskStatus } from "@multiverse/protocol/task";
import { tasksInPlanOrder } from "@multiverse/protocol/task-view";
import { makeCard, sameSource, toolOf, type Card, type CardSource } from "./card.ts";

/** The plan as every view shows it: one card a task, in plan order, with counts. */
export interface PlanView {
  readonly cards: ReadonlyMap<string, Card>;
  readonly order: readonly string[];
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly total: number;
  /** Succeeded or skipped: nothing is left to do. */
  readonly done: number;
  /** When the clock alone will next change a status. */
  readonly nextRetryAt: number | null;
}

/** Makes plan views one after another, keeping every card that did not change. */
export function createPlanViewer(): (state: WorkspaceState, now: number) => PlanView {
  let sources = new Map<string, CardSource & { card: Card }>();
  let nodes: WorkspaceState["nodes"] | null = null;
  let taskCount = -1;
  let order: readonly string[] = [];

  return (state, now) => {
    if (nodes !== state.nodes || taskCount !== state.tasks.size) {
      order = tasksInPlanOrder(state).map((task) => task.id);
      nodes = state.nodes;
      taskCount = state.tasks.size;
    }
    const next = new Map<string, CardSource & { card: Card }>();
    const cards = new Map<string, Card>();
    const counts = zeroCounts();
    let nextRetryAt: number | null = null;
    for (const id of order) {
      const task = state.tasks.get(id);
      if (task === undefined) continue;
      const source: CardSource = {
        task,
        node: state.nodes.get(task.nodeId),
        runtime: state.runtimes.get(task.nodeId),
        status: statusOf(state, task, now),
        tool: toolOf(state, task),
      };
      const old = sources.get(id);
      const entry = old && sameSource(old, source) ? old : { ...source, card: makeCard(source) };
      next.set(id, entry);
      cards.set(id, entry.card);
      counts[source.status] += 1;
      if (source.status === "RETRY_WAIT" && task.retryAt !== null)
        nextRetryAt = Math.min(nextRetryAt ?? Infinity, Date.parse(task.retryAt));
    }
    sources = next;
    const done = counts.SUCCEEDED + counts.SKIPPED;
    return { cards, order, counts, total: cards.size, done, nextRetryAt };
  };
}

function zeroCounts(): Record<TaskStatus, number> {
  return Object.fromEntries(TASK_STATUSES.map((s) => [s, 0])) as Record<TaskStatus, number>;
}
