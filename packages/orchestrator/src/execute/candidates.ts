import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { learnDurations, type LearnedDurations, type Weigh } from "./learned-durations.ts";
import { claims, type Claim } from "./plan-order.ts";
import { ReadyQueue } from "./ready-queue.ts";

/** Finished tasks after which the remaining paths are worth computing again (or an eighth of the plan, if more). */
const RELEARN = 16;

interface Ranks {
  readonly nodes: WorkspaceState["nodes"];
  readonly learned: number;
  readonly claims: ReadonlyMap<string, Claim>;
}

/** Facts after which others have their turn, where there are many. */
const STEP = 500;

/**
 * Keeps the queue of tasks that may be ready in step with the facts, and learns durations on the way. Hearing of facts
 * costs nothing; `rank` works them in, in steps, before something is chosen.
 */
export class Candidates {
  private state: WorkspaceState;
  private readonly durations: LearnedDurations;
  private readonly weigh: Weigh;
  private readonly queue = new ReadyQueue();
  private readonly retries = new Map<string, number>();
  private readonly requested = new Set<string>();
  private pending: (readonly Fact[])[] = [];
  /** Tasks to look at again before the next choice: nothing is ranked until something may start. */
  private readonly touched = new Set<string>();
  private ranks: Ranks | null = null;

  /** `weigh` where the durations are known; without it they are learned. */
  constructor(state: WorkspaceState, weigh?: Weigh) {
    this.state = state;
    this.durations = learnDurations(state);
    this.weigh = weigh ?? this.durations.weigh;
    this.collectWaiting();
  }

  update(facts: readonly Fact[], state: WorkspaceState): void {
    this.state = state;
    this.pending.push(facts);
  }

  /** Works in what was heard. What is heard meanwhile is for the next time. */
  *rank(): Generator<undefined, void> {
    const heard = this.pending;
    this.pending = [];
    for (const facts of heard) yield* this.workIn(facts);
    if (!this.mayStart) return;
    if (this.isOutdated()) yield* this.rankAnew();
    yield* this.enqueue(this.touched, this.ranks?.claims);
    this.touched.clear();
  }

  /** Whether anything could start, slots and times aside. */
  get mayStart(): boolean {
    return this.state.execution.status === "RUNNING" || this.requested.size > 0;
  }

  /** As last ranked. */
  inOrder(): Iterable<string> {
    return this.queue.inOrder((id) => this.state.index.runnable.has(id));
  }

  /** The next moment at which a waiting task's retry is due, or null. */
  nextRetryAt(now: number): number | null {
    let next: number | null = null;
    for (const at of this.retries.values()) if (at > now && (next === null || at < next)) next = at;
    return next;
  }

  private *workIn(facts: readonly Fact[]): Generator<undefined, void> {
    for (let at = 0; at < facts.length; at += STEP) {
      if (at > 0) yield;
      const piece = facts.slice(at, at + STEP);
      for (const fact of piece) this.learnFrom(fact);
      if (piece.some((fact) => fact.kind === "snapshot.restored")) this.collectWaiting();
      const { dependants } = this.state.index;
      let touched = 0;
      for (const id of touchedNodes(piece, this.state)) {
        this.touchNode(id);
        for (const dependant of dependants.get(id) ?? []) {
          this.touchNode(dependant);
          if (++touched % STEP === 0) yield;
        }
      }
    }
  }

  private *enqueue(
    ids: Iterable<string>,
    known: Ranks["claims"] | undefined,
  ): Generator<undefined, void> {
    let looked = 0;
    for (const id of ids) {
      if (++looked % STEP === 0) yield;
      const claim = known?.get(id); // absent where it came while we ranked: then the plan is ranked again
      if (claim && this.state.index.runnable.has(id)) this.queue.add(id, claim);
    }
  }

  /** The order is computed anew when the plan changed or enough was learned; until then a task keeps its claim. */
  private isOutdated(): boolean {
    const { nodes, tasks, index } = this.state;
    const known = this.ranks;
    if (known?.nodes !== nodes) return true;
    if (this.durations.count - known.learned >= Math.max(RELEARN, tasks.size / 8)) return true;
    return [...this.touched].some((id) => index.runnable.has(id) && !known.claims.has(id));
  }

  private *rankAnew(): Generator<undefined, void> {
    const { nodes } = this.state;
    const learned = this.durations.count;
    const known = yield* claims(this.state, this.weigh);
    this.ranks = { nodes, learned, claims: known };
    this.queue.clear();
    yield* this.enqueue(this.state.index.runnable, known);
  }

  private collectWaiting(): void {
    this.retries.clear();
    this.requested.clear();
    for (const id of this.state.tasks.keys()) this.touch(id);
  }

  private touchNode(nodeId: string): void {
    this.touch(nodeId);
    for (const extra of this.state.index.extraTasks.get(nodeId) ?? []) this.touch(extra);
  }

  private touch(taskId: string): void {
    const task = this.state.tasks.get(taskId);
    const waiting = task?.progress === "waiting";
    if (waiting && task.retryAt !== null) this.retries.set(taskId, Date.parse(task.retryAt));
    else this.retries.delete(taskId);
    if (waiting && task.requested) this.requested.add(taskId);
    else this.requested.delete(taskId);
    this.touched.add(taskId);
  }

  private learnFrom(fact: Fact): void {
    if (fact.kind !== "attempt.finished" || fact.payload.status !== "SUCCEEDED") return;
    const task = this.state.tasks.get(fact.payload.taskId);
    const node = task && this.state.nodes.get(task.nodeId);
    const { result } = fact.payload;
    if (task && node && result) this.durations.learn(task, node, result.durationMs / 1_000);
  }
}

/** The nodes a batch of facts speaks of. */
function touchedNodes(facts: readonly Fact[], state: WorkspaceState): Set<string> {
  const ids = new Set<string>();
  for (const { payload } of facts) {
    const task = "taskId" in payload ? state.tasks.get(payload.taskId) : undefined;
    if ("nodeId" in payload) ids.add(payload.nodeId);
    else if ("task" in payload) ids.add(payload.task.nodeId);
    else if (task) ids.add(task.nodeId);
  }
  return ids;
}
