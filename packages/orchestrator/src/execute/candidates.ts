import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { claims, type Claim } from "./plan-order.ts";
import { readyQueue } from "./ready-queue.ts";
import { learnDurations, type Weigh } from "./weights.ts";

/** Finished tasks after which the remaining paths are worth computing again (or an eighth of the plan, if more). */
const RELEARN = 16;

/** Keeps the queue of tasks that may be ready in step with the facts, and learns durations on the way. */
export interface Candidates {
  update(facts: readonly Fact[], state: WorkspaceState): void;
  inOrder(): Iterable<string>;
  /** The next moment at which a waiting task's retry is due, or null. */
  nextRetryAt(now: number): number | null;
}

export function trackCandidates(initial: WorkspaceState, weighFixed?: Weigh): Candidates {
  const durations = learnDurations();
  const queue = readyQueue();
  const retries = new Map<string, number>();
  let state = initial;
  let ranked: {
    nodes: WorkspaceState["nodes"];
    learned: number;
    claims: Map<string, Claim>;
  } | null = null;

  function currentClaims(): Map<string, Claim> {
    const enough = Math.max(RELEARN, state.tasks.size / 8);
    if (ranked && ranked.nodes === state.nodes && durations.count - ranked.learned < enough)
      return ranked.claims;
    ranked = {
      nodes: state.nodes,
      learned: durations.count,
      claims: claims(state, weighFixed ?? durations.weigh),
    };
    queue.clear();
    for (const id of state.index.runnable) queue.add(id, ranked.claims.get(id)!);
    return ranked.claims;
  }

  function touch(taskId: string, ranks: Map<string, Claim>): void {
    const task = state.tasks.get(taskId);
    if (task?.progress === "waiting" && task.retryAt !== null)
      retries.set(taskId, Date.parse(task.retryAt));
    else retries.delete(taskId);
    const claim = ranks.get(taskId);
    if (claim && state.index.runnable.has(taskId)) queue.add(taskId, claim);
  }

  function touchNode(nodeId: string, ranks: Map<string, Claim>): void {
    touch(nodeId, ranks);
    for (const extra of state.index.extraTasks.get(nodeId) ?? []) touch(extra, ranks);
  }

  function learnFrom(fact: Fact): void {
    if (
      fact.kind !== "attempt.finished" ||
      fact.payload.status !== "SUCCEEDED" ||
      !fact.payload.result
    )
      return;
    const task = state.tasks.get(fact.payload.taskId);
    const node = task && state.nodes.get(task.nodeId);
    if (task && node) durations.learn(task, node, fact.payload.result.durationMs / 1_000);
  }

  for (const task of state.tasks.values())
    if (task.retryAt !== null) retries.set(task.id, Date.parse(task.retryAt));

  return {
    update(facts, next) {
      state = next;
      facts.forEach(learnFrom);
      const ranks = currentClaims();
      for (const id of touchedNodes(facts, state)) {
        touchNode(id, ranks);
        for (const dependant of state.index.dependants.get(id) ?? []) touchNode(dependant, ranks);
      }
    },
    inOrder() {
      currentClaims();
      return queue.inOrder((id) => state.index.runnable.has(id));
    },
    nextRetryAt(now) {
      let next: number | null = null;
      for (const at of retries.values()) if (at > now && (next === null || at < next)) next = at;
      return next;
    },
  };
}

/** The nodes a batch of facts speaks of. */
function touchedNodes(facts: readonly Fact[], state: WorkspaceState): Set<string> {
  const ids = new Set<string>();
  for (const fact of facts) {
    const payload = fact.payload as { nodeId?: string; taskId?: string; task?: { nodeId: string } };
    const id =
      payload.nodeId ??
      payload.task?.nodeId ??
      (payload.taskId && state.tasks.get(payload.taskId)?.nodeId);
    if (id) ids.add(id);
  }
  return ids;
}
