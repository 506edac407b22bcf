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
  /** Another number when cards came or went, or stand in another group or wait for others. */
  readonly structure: number;
  /** Another number when in addition a status or an effort changed. */
  readonly progress: number;
}

/** What changed between two states, so that not every card has to be looked at. */
export interface Change {
  readonly from: WorkspaceState;
  readonly to: WorkspaceState;
  /** The tasks it may concern; null when it may be any. */
  readonly touched: ReadonlySet<string> | null;
}

type Entry = CardSource & { readonly card: Card };

/** Makes plan views one after another. Cards that did not change stay; with a known change the cost is that of the change. */
export class PlanViewer {
  #entries = new Map<string, Entry>();
  #last: { state: WorkspaceState; plan: PlanView } | null = null;

  view(state: WorkspaceState, now: number, change: Change | null = null): PlanView {
    const last = this.#last;
    const known =
      last !== null && change?.from === last.state && change.to === state ? change.touched : null;
    const plan =
      last && known ? this.#update(last.plan, known, state, now) : this.#rebuild(state, now);
    this.#last = { state, plan };
    return plan;
  }

  #entryOf(id: string, state: WorkspaceState, now: number): Entry | undefined {
    const task = state.tasks.get(id);
    if (task === undefined) return undefined;
    const source: CardSource = {
      task,
      node: state.nodes.get(task.nodeId),
      runtime: state.runtimes.get(task.nodeId),
      status: statusOf(state, task, now),
      tool: toolOf(state, task),
    };
    const old = this.#entries.get(id);
    return old && sameSource(old, source) ? old : { ...source, card: makeCard(source) };
  }

  #update(
    before: PlanView,
    touched: ReadonlySet<string>,
    state: WorkspaceState,
    now: number,
  ): PlanView {
    const cards = new Map(before.cards);
    const counts = { ...before.counts };
    let { structure, progress } = before;
    for (const id of touched) {
      const old = this.#entries.get(id)?.card;
      const entry = this.#entryOf(id, state, now);
      if (!old || !entry || entry.card === old) continue;
      this.#entries.set(id, entry);
      cards.set(id, entry.card);
      counts[old.status] -= 1;
      counts[entry.card.status] += 1;
      if (movesIn(old, entry.card)) structure += 1;
      if (old.status !== entry.card.status || old.effort !== entry.card.effort) progress += 1;
    }
    return finish({ cards, order: before.order, counts, structure, progress });
  }

  #rebuild(state: WorkspaceState, now: number): PlanView {
    const before = this.#last?.plan;
    const fresh = new Map<string, Entry>();
    const cards = new Map<string, Card>();
    const counts = zeroCounts();
    let moved = false;
    for (const { id } of tasksInPlanOrder(state)) {
      const entry = this.#entryOf(id, state, now);
      if (!entry) continue;
      fresh.set(id, entry);
      cards.set(id, entry.card);
      counts[entry.status] += 1;
      const old = before?.cards.get(id);
      moved ||= old === undefined || (old !== entry.card && movesIn(old, entry.card));
    }
    const order = [...cards.keys()];
    moved ||=
      order.length !== before?.order.length || order.some((id, i) => id !== before.order[i]);
    this.#entries = fresh;
    const structure = (before?.structure ?? 0) + (moved ? 1 : 0);
    return finish({ cards, order, counts, structure, progress: (before?.progress ?? 0) + 1 });
  }
}

type Parts = Pick<PlanView, "cards" | "order" | "counts" | "structure" | "progress">;

function finish(parts: Parts): PlanView {
  const { cards, counts } = parts;
  let nextRetryAt: number | null = null;
  if (counts.RETRY_WAIT > 0)
    for (const { status, retryAt } of cards.values())
      if (status === "RETRY_WAIT" && retryAt !== null)
        nextRetryAt = Math.min(nextRetryAt ?? Infinity, Date.parse(retryAt));
  return { ...parts, total: cards.size, done: counts.SUCCEEDED + counts.SKIPPED, nextRetryAt };
}

/** Whether a card belongs somewhere else in a drawing than before. */
const movesIn = (a: Card, b: Card): boolean =>
  a.dependencies !== b.dependencies ||
  a.milestone !== b.milestone ||
  a.phaseName !== b.phaseName ||
  a.workType !== b.workType ||
  a.domain !== b.domain;

function zeroCounts(): Record<TaskStatus, number> {
  return Object.fromEntries(TASK_STATUSES.map((s) => [s, 0])) as Record<TaskStatus, number>;
}
