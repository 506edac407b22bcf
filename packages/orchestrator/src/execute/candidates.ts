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
  private ranks: Ranks | null = null;

  /** `weigh` where the durations are known; without it they are learned. */
  constructor(state: WorkspaceState, weigh?: Weigh) {
    this.state = state;
    this.durations = learnDurations(state);
    this.weigh = weigh ?? this.durations.weigh;
    this.collectRetries();
  }

  update(facts: readonly Fact[], state: WorkspaceState): void {
    this.state = state;
    for (const fact of facts) this.learnFrom(fact);
    if (facts.some((fact) => fact.kind === "snapshot.restored")) this.collectRetries();
    const { claims: known } = this.currentRanks();
    for (const id of touchedNodes(facts, state)) {
      this.touchNode(id, known);
      for (const dependant of state.index.dependants.get(id) ?? [])
        this.touchNode(dependant, known);
    }
  }

  inOrder(): Iterable<string> {
    this.currentRanks();
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

  private collectRetries(): void {
    this.retries.clear();
    for (const task of this.state.tasks.values())
      if (task.retryAt !== null) this.retries.set(task.id, Date.parse(task.retryAt));
  }

  private touchNode(nodeId: string, known: Ranks["claims"]): void {
    this.touch(nodeId, known);
    for (const extra of this.state.index.extraTasks.get(nodeId) ?? []) this.touch(extra, known);
  }

  private touch(taskId: string, known: Ranks["claims"]): void {
    const task = this.state.tasks.get(taskId);
    if (task?.progress === "waiting" && task.retryAt !== null)
      this.retries.set(taskId, Date.parse(task.retryAt));
    else this.retries.delete(taskId);
    const claim = known.get(taskId);
    if (claim && this.state.index.runnable.has(taskId)) this.queue.add(taskId, claim);
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
