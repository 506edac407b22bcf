import type { Fact } from "@multiverse/protocol/fact";
import type { Signal } from "@multiverse/protocol/signal";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";

/** Things looked at after which others have their turn, where there are many. */
const STEP = 250;

/**
 * The signals with the seeds' names that follow from a commit, and undefined now and then: a moment to give way to
 * others. Pure; costs what the facts touch.
 */
export function* factSignals(
  before: WorkspaceState,
  after: WorkspaceState,
  facts: readonly Fact[],
  now: number,
): Generator<Signal | undefined, void> {
  const timestamp = new Date(now).toISOString();
  let looked = 0;
  for (const fact of facts) {
    if (++looked % STEP === 0) yield;
    if (fact.kind === "task.created") {
      const { id, nodeId } = fact.payload.task;
      const title = after.nodes.get(nodeId)?.title ?? id;
      yield { signal: "task:created", data: { taskId: id, title, timestamp } };
    }
    if (fact.kind === "backlog.added") {
      const item = after.backlog.get(fact.payload.item.id);
      if (item) yield { signal: "backlog:added", data: { item, timestamp } };
    }
  }
  if (before.execution.status !== after.execution.status) {
    const data = {
      oldState: before.execution.status,
      newState: after.execution.status,
      pausedFor: after.execution.pausedFor,
      timestamp,
    };
    yield { signal: "execution:stateChange", data };
  }
  for (const taskId of touchedTasks(after, facts)) {
    if (++looked % STEP === 0) yield;
    const was = before.tasks.get(taskId);
    const is = after.tasks.get(taskId);
    if (!was || !is) continue;
    const oldStatus = statusOf(before, was, now);
    const newStatus = statusOf(after, is, now);
    if (oldStatus !== newStatus)
      yield { signal: "task:stateChange", data: { taskId, oldStatus, newStatus, timestamp } };
  }
}

function touchedTasks(state: WorkspaceState, facts: readonly Fact[]): Set<string> {
  const ids = new Set<string>();
  for (const fact of facts) {
    const { taskId, nodeId } = fact.payload as { taskId?: string; nodeId?: string };
    if (taskId) ids.add(taskId);
    if (!nodeId) continue;
    ids.add(nodeId);
    for (const dependant of state.index.dependants.get(nodeId) ?? []) ids.add(dependant);
  }
  return ids;
}
