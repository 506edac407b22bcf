import type { Fact, FactOf } from "../fact.ts";
import {
  rootNode,
  CHAT_TAIL,
  INCIDENT_TAIL,
  type Incident,
  type WorkspaceState,
} from "../state.ts";
import { foldId } from "../id.ts";
import { loadState, type SavedState } from "../saved-state.ts";
import { beginDraft, type Draft } from "./draft.ts";

/** Facts about the workspace itself, its chat, its backlog and its execution. */

export function workspaceCreated(
  draft: Draft,
  { at, workspaceId, payload }: FactOf<"workspace.created">,
): void {
  const { projectRoot, name, wbsId } = payload;
  draft.workspace = { id: workspaceId, name, projectRoot, wbsId, createdAt: at, updatedAt: at };
  const root = rootNode(at);
  draft.nodes.set(root.id, root);
  draft.index.folded.set(foldId(root.id), root.id);
}

/** Takes over a saved state as a whole; nothing of it can still be running, since no process belongs to it. */
function replaceWith(draft: Draft, saved: SavedState, keep: Partial<WorkspaceState>): void {
  const tasks = saved.tasks.map((task) =>
    task.progress === "running"
      ? { ...task, progress: "waiting" as const, currentAttempt: null, assignedAgent: null }
      : task,
  );
  Object.assign(draft, beginDraft({ ...loadState({ ...saved, tasks }), ...keep }));
}

/** Where in history we are: a state that is taken over comes from elsewhere in it. */
const standing = ({ seq, factId }: Draft) => ({ seq, factId });

export function workspaceImported(draft: Draft, { payload }: FactOf<"workspace.imported">): void {
  replaceWith(draft, payload.stateAt as SavedState, standing(draft));
}

/** The conversation and the attempts stay: they happened. The epoch grows, so that late results are told apart. */
export function snapshotRestored(draft: Draft, { at, payload }: FactOf<"snapshot.restored">): void {
  const saved = payload.stateAt as SavedState;
  const attempts = [...draft.attempts.values()];
  replaceWith(
    draft,
    { ...saved, attempts },
    {
      ...standing(draft),
      epoch: Math.max(draft.epoch, saved.epoch) + 1,
      nextTaskNumber: Math.max(draft.nextTaskNumber, saved.nextTaskNumber),
      workspace: draft.workspace,
      sessions: draft.sessions.asImmutable(),
      incidents: draft.incidents,
      execution: { status: "IDLE", pausedFor: null, since: at },
    },
  );
}

export function chatMessage(draft: Draft, { at, payload }: FactOf<"chat.message">): void {
  const { message } = payload;
  const session = draft.sessions.get(message.sessionId);
  draft.sessions.set(message.sessionId, {
    id: message.sessionId,
    createdAt: session?.createdAt ?? at,
    updatedAt: at,
    messageCount: (session?.messageCount ?? 0) + 1,
    messages: [...(session?.messages ?? []).slice(1 - CHAT_TAIL), message],
  });
}

export function backlogAdded(draft: Draft, { payload }: FactOf<"backlog.added">): void {
  draft.backlog.set(payload.item.id, { ...payload.item, resolvedAt: null, resolution: null });
}

export function backlogResolved(draft: Draft, { at, payload }: FactOf<"backlog.resolved">): void {
  const item = draft.backlog.get(payload.backlogId);
  if (item) draft.backlog.set(item.id, { ...item, resolvedAt: at, resolution: payload.resolution });
}

export function backlogDeleted(draft: Draft, { payload }: FactOf<"backlog.deleted">): void {
  draft.backlog.remove(payload.backlogId);
}

export function executionStarted(draft: Draft, { at }: Fact): void {
  draft.execution = { status: "RUNNING", pausedFor: null, since: at };
}

export function executionPaused(draft: Draft, { at, payload }: FactOf<"execution.paused">): void {
  draft.execution = { status: "PAUSED", pausedFor: payload.reason, since: at };
}

export function executionStopped(draft: Draft, { at }: Fact): void {
  draft.execution = { status: "IDLE", pausedFor: null, since: at };
}

export function toolingChanged(draft: Draft, { payload }: FactOf<"tooling.changed">): void {
  draft.tooling = payload.tooling;
}

const incident = (draft: Draft, entry: Incident): void => {
  draft.incidents = [...draft.incidents.slice(1 - INCIDENT_TAIL), entry];
};

export function logRepaired(draft: Draft, { at, kind, payload }: FactOf<"log.repaired">): void {
  const message = `${payload.file} was repaired at byte ${payload.offset}: ${payload.bytes} bytes set aside as ${payload.keptAs}`;
  incident(draft, { kind, at, message });
}

export function stateSaveFailed(
  draft: Draft,
  { at, kind, payload }: FactOf<"state_save_failed">,
): void {
  incident(draft, { kind, at, message: `${payload.file} could not be written: ${payload.error}` });
}

export function historyFailed(draft: Draft, { at, kind, payload }: FactOf<"history_failed">): void {
  incident(draft, {
    kind,
    at,
    message: `action ${payload.actionId} could not be recorded: ${payload.error}`,
  });
}
