import type { Fact } from "@multiverse/protocol/fact";
import { find } from "@multiverse/protocol/find";
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

/** Keeps the queue of tasks that may be ready in step with the facts, and learns durations on the way. */
export class Candidates {
  private state: WorkspaceState;
  private readonly durations: LearnedDurations;
  private readonly weigh: Weigh;
  private readonly queue = new ReadyQueue();
  private readonly retries = new Map<string, number>();
  private readonly requested = new Set<string>();
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
    for (const fact of facts) this.learnFrom(fact);
    if (facts.some((fact) => fact.kind === "snapshot.restored")) this.collectWaiting();
    for (const id of touchedNodes(facts, state)) {
      this.touchNode(id);
      for (const dependant of state.index.dependants.get(id) ?? []) this.touchNode(dependant);
    }
  }

  /** Whether anything could start, slots and times aside. */
  get mayStart(): boolean {
    return this.state.execution.status === "RUNNING" || this.requested.size > 0;
  }

  inOrder(): Iterable<string> {
    const { claims: known } = this.currentRanks();
    for (const id of this.touched) {
      const claim = known.get(id);
      if (claim && this.state.index.runnable.has(id)) this.queue.add(id, claim);
    }
    this.touched.clear();
    return this.queue.inOrder((id) => this.state.index.runnable.has(id));
  }

  /** The next moment at which a waiting task's retry is due, or null. */
  nextRetryAt(now: number): number | null {
    let next: number | null = null;
    for (const at of this.retries.values()) if (at > now && (next === null || at < next)) next = at;
    return next;
  }

  /** The order is computed anew when the plan changed or enough was learned; until then a task keeps its claim. */
  private currentRanks(): Ranks {
    const { nodes, tasks, index } = this.state;
    const enough = Math.max(RELEARN, tasks.size / 8);
    const known = this.ranks;
    if (known && known.nodes === nodes && this.durations.count - known.learned < enough)
      return known;
    const ranks = { nodes, learned: this.durations.count, claims: claims(this.state, this.weigh) };
    this.queue.clear();
    for (const id of index.runnable) this.queue.add(id, find(ranks.claims, id));
    this.ranks = ranks;
    return ranks;
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
