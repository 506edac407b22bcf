import type { Fact } from "@multiverse/protocol/fact";
import type { Signal } from "@multiverse/protocol/signal";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";

/** The signals with the seeds' names that follow from a commit. Pure; costs what the facts touch. */
export function factSignals(
  before: WorkspaceState,
  after: WorkspaceState,
  facts: readonly Fact[],
  now: number,
): Signal[] {
  const timestamp = new Date(now).toISOString();
  const signals: Signal[] = [];
  for (const fact of facts) {
    if (fact.kind === "task.created") {
      const { id, nodeId } = fact.payload.task;
      signals.push({
        signal: "task:created",
        data: { taskId: id, title: after.nodes.get(nodeId)?.title ?? id, timestamp },
      });
    }
    if (fact.kind === "backlog.added") {
      const item = after.backlog.get(fact.payload.item.id);
      if (item) signals.push({ signal: "backlog:added", data: { item, timestamp } });
    }
  }
  if (before.execution.status !== after.execution.status) {
    const data = {
      oldState: before.execution.status,
      newState: after.execution.status,
      pausedFor: after.execution.pausedFor,
      timestamp,
    };
    signals.push({ signal: "execution:stateChange", data });
  }
  for (const taskId of touchedTasks(after, facts)) {
    const was = before.tasks.get(taskId);
    const is = after.tasks.get(taskId);
    if (!was || !is) continue;
    const oldStatus = statusOf(before, was, now);
    const newStatus = statusOf(after, is, now);
    if (oldStatus !== newStatus)
      signals.push({
        signal: "task:stateChange",
        data: { taskId, oldStatus, newStatus, timestamp },
      });
  }
  return signals;
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
