import type { Fact, FactOf } from "@multiverse/protocol/fact";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { WHOLE_VIEWS, type WholeView } from "./whole-views.ts";

/** What a fact makes out of date. */
export interface Touch {
  node(id: string): void;
  task(id: string): void;
  attempt(id: string): void;
  backlog(id: string): void;
  session(id: string): void;
  whole(view: WholeView): void;
  /** The state was replaced as a whole. */
  everything(): void;
}

/** Facts after which others have their turn, where there are many. */
const STEP = 500;

/**
 * Which views the facts of a commit touch, in O(change) and in steps. What they deleted can still be seen in the state
 * before.
 */
export function* touchAll(
  facts: readonly Fact[],
  before: WorkspaceState,
  on: Touch,
): Generator<undefined, void> {
  const deletes = facts.some((fact) => fact.kind === "node.deleted");
  for (const [i, fact] of facts.entries()) {
    if (i > 0 && i % STEP === 0) yield;
    touch(fact, before, on);
    // What was moved may have been deleted with its new parent in the same commit.
    if (deletes && fact.kind === "node.moved") {
      for (const id of subtree(before, fact.payload.nodeId)) deleted(id, before, on);
    }
  }
}

function touch(fact: Fact, before: WorkspaceState, on: Touch): void {
  switch (fact.kind) {
    case "workspace.created":
      on.node(ROOT_ID); // also when the workspace is closed before everything was compared
      return on.everything();
    case "workspace.imported":
    case "snapshot.restored":
      return on.everything();
    case "chat.message":
      return on.session(fact.payload.message.sessionId);
    case "node.created":
      return nodeChanged(fact.payload.node.id, on);
    case "node.updated":
    case "node.moved":
      return nodeChanged(fact.payload.nodeId, on);
    case "node.deleted":
      return nodeDeleted(fact, before, on);
    case "node.status_updated":
      on.whole("state/nodes-runtime.json");
      return on.whole("state/tasks.json");
    case "test.run":
      on.whole("state/nodes-runtime.json");
      return on.whole("state/tests.json");
    case "task.created":
      return taskChanged(fact.payload.task.id, on);
    case "task.started":
    case "task.succeeded":
    case "task.failed":
    case "task.canceled":
    case "task.skipped":
    case "task.retry_scheduled":
    case "task.blocked":
    case "task.unblocked":
      on.whole("state/agents.json");
      return taskChanged(fact.payload.taskId, on);
    case "attempt.started":
      return on.attempt(fact.payload.attempt.id);
    case "attempt.finished":
      on.attempt(fact.payload.attemptId);
      return taskChanged(fact.payload.taskId, on);
    case "backlog.added":
      return on.backlog(fact.payload.item.id);
    case "backlog.resolved":
    case "backlog.deleted":
      return on.backlog(fact.payload.backlogId);
    case "execution.started":
    case "execution.paused":
    case "execution.resumed":
    case "execution.stopped":
      return on.whole("state/tasks.json");
    case "task.result_ignored":
    case "tooling.changed":
    case "snapshot.created":
    case "log.repaired":
    case "state_save_failed":
    case "history_failed":
      return undefined;
  }
}

function nodeChanged(id: string, on: Touch): void {
  on.node(id);
  on.task(id);
  planChanged(on);
}

function nodeDeleted({ payload }: FactOf<"node.deleted">, before: WorkspaceState, on: Touch): void {
  const { nodeId, cascade } = payload;
  for (const id of cascade ? subtree(before, nodeId) : [nodeId]) deleted(id, before, on);
  for (const child of before.nodes.get(nodeId)?.children ?? []) on.task(child);
  on.whole("state/tests.json");
  on.whole("state/agents.json");
  planChanged(on);
}

function planChanged(on: Touch): void {
  for (const view of WHOLE_VIEWS)
    if (view !== "state/agents.json" && view !== "state/tests.json") on.whole(view);
}

function taskChanged(id: string, on: Touch): void {
  on.task(id);
  on.whole("state/tasks.json");
}

function subtree(state: WorkspaceState, id: string): string[] {
  const ids = [id];
  for (const next of ids) ids.push(...(state.nodes.get(next)?.children ?? []));
  return ids;
}

/** The node's own files, and those of the nodes that depended on it. */
function deleted(id: string, before: WorkspaceState, on: Touch): void {
  on.node(id);
  on.task(id);
  for (const extra of before.index.extraTasks.get(id) ?? []) on.task(extra);
  for (const dependant of before.index.dependants.get(id) ?? []) {
    on.node(dependant);
    on.task(dependant);
  }
}
