import type { FactWire } from "@multiverse/protocol/fact";
import { factFromWire } from "@multiverse/protocol/fact-wire";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** The tasks whose cards may look different after some facts; null when it may be any of them. */
export function touchedTasks(
  state: WorkspaceState,
  facts: readonly FactWire[],
): ReadonlySet<string> | null {
  const touched = new Set<string>();
  for (const wire of facts) {
    const fact = factFromWire(wire);
    switch (fact.kind) {
      case "node.updated":
      case "test.run":
        touchNode(state, fact.payload.nodeId, touched);
        break;
      case "node.status_updated":
        touchAround(state, fact.payload.nodeId, touched);
        break;
      case "attempt.started":
        touched.add(fact.payload.attempt.taskId);
        break;
      case "attempt.finished":
      case "task.result_ignored":
        touched.add(fact.payload.taskId);
        break;
      case "task.started":
      case "task.succeeded":
      case "task.failed":
      case "task.canceled":
      case "task.skipped":
      case "task.retry_scheduled":
      case "task.blocked":
      case "task.unblocked":
        touched.add(fact.payload.taskId);
        touchAround(state, state.tasks.get(fact.payload.taskId)?.nodeId ?? "", touched);
        break;
      case "chat.message":
      case "backlog.added":
      case "backlog.resolved":
      case "backlog.deleted":
      case "tooling.changed":
      case "snapshot.created":
      case "log.repaired":
      case "state_save_failed":
      case "history_failed":
        break;
      case "workspace.created":
      case "workspace.imported":
      case "node.created":
      case "node.moved":
      case "node.deleted":
      case "task.created":
      case "execution.started":
      case "execution.paused":
      case "execution.resumed":
      case "execution.stopped":
      case "snapshot.restored":
        return null;
    }
  }
  return touched;
}

/** A node's own task and its further ones. */
function touchNode(state: WorkspaceState, nodeId: string, touched: Set<string>): void {
  touched.add(nodeId);
  for (const id of state.index.extraTasks.get(nodeId) ?? []) touched.add(id);
}

/** A node and those who wait for it. */
function touchAround(state: WorkspaceState, nodeId: string, touched: Set<string>): void {
  touchNode(state, nodeId, touched);
  for (const id of state.index.dependants.get(nodeId) ?? []) touchNode(state, id, touched);
}
