import type { Fact, FactKind, FactOf } from "../fact.ts";
import type { WorkspaceState } from "../state.ts";
import * as plan from "./apply-plan.ts";
import * as task from "./apply-task.ts";
import * as workspace from "./apply-workspace.ts";
import { beginDraft, endDraft, type Draft } from "./draft.ts";

/** One entry per kind: a kind without its meaning does not compile. */
const MEANING: { [K in FactKind]: (draft: Draft, fact: FactOf<K>) => void } = {
  "workspace.created": workspace.workspaceCreated,
  "workspace.imported": workspace.workspaceImported,
  "chat.message": workspace.chatMessage,
  "node.created": plan.nodeCreated,
  "node.updated": plan.nodeUpdated,
  "node.moved": plan.nodeMoved,
  "node.deleted": plan.nodeDeleted,
  "node.status_updated": plan.nodeStatusUpdated,
  "task.created": task.taskCreated,
  "task.started": task.taskStarted,
  "task.succeeded": task.taskSucceeded,
  "task.failed": task.taskFailed,
  "task.canceled": task.taskCanceled,
  "task.skipped": task.taskSkipped,
  "task.retry_scheduled": task.taskRetryScheduled,
  "task.blocked": task.taskBlocked,
  "task.unblocked": task.taskUnblocked,
  "task.result_ignored": () => {},
  "attempt.started": task.attemptStarted,
  "attempt.finished": task.attemptFinished,
  "test.run": plan.testRun,
  "backlog.added": workspace.backlogAdded,
  "backlog.resolved": workspace.backlogResolved,
  "backlog.deleted": workspace.backlogDeleted,
  "execution.started": workspace.executionStarted,
  "execution.paused": workspace.executionPaused,
  "execution.resumed": workspace.executionStarted,
  "execution.stopped": workspace.executionStopped,
  "tooling.changed": workspace.toolingChanged,
  "snapshot.created": () => {},
  "snapshot.restored": workspace.snapshotRestored,
  "log.repaired": workspace.logRepaired,
  state_save_failed: workspace.stateSaveFailed,
  history_failed: workspace.historyFailed,
};

/**
 * What the facts mean: the only way from one state to the next, on the server, in the browser and in recovery. Pure;
 * costs O(change); a batch that throws leaves no trace.
 */
export function apply(state: WorkspaceState, facts: Iterable<Fact>): WorkspaceState {
  const draft = beginDraft(state);
  for (const fact of facts) unfold(draft, fact);
  return endDraft(draft);
}

function unfold(draft: Draft, fact: Fact): void {
  draft.seq = fact.seq;
  draft.factId = fact.id;
  (MEANING[fact.kind] as (draft: Draft, fact: Fact) => void)(draft, fact);
}

/** A state that facts are added to one after the other, at less cost than an `apply` for each. */
export interface Unfolding {
  /** What came of them so far: it changes with every fact, and is nobody's truth yet. */
  readonly state: WorkspaceState;
  add(fact: Fact): void;
  /** The state for good; nothing can be added after it. */
  end(): WorkspaceState;
}

/** The same as `apply`, for those who look at the state in between or give way to others. One that throws is over. */
export function unfolding(state: WorkspaceState): Unfolding {
  const draft = beginDraft(state);
  return { state: draft, add: (fact) => unfold(draft, fact), end: () => endDraft(draft) };
}
