import { replyId } from "@multiverse/orchestrator/chat/messages";
import { hasBlockingQuestion } from "@multiverse/orchestrator/chat/questions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { TaskStatus } from "@multiverse/protocol/task";
import { openQuestions } from "./live/news.ts";

/** Whether a message of the session still waits for its answer, or answers for being planned with. */
export function isPlanning(state: WorkspaceState, sessionId: string): boolean {
  if (state.execution.pausedFor === "question" && !hasBlockingQuestion(state)) return true;
  const messages = state.sessions.get(sessionId)?.messages ?? [];
  const ids = new Set(messages.map(({ id }) => id));
  return (
    messages.length === 0 ||
    messages.some(({ id, role }) => role === "user" && !ids.has(replyId(id)))
  );
}

export interface Waits {
  /** Whether someone may still answer, so that an open question is a reason to wait. */
  readonly forAnswers: boolean;
  /** Whether questions answer themselves with their default after a while. */
  readonly forDefaults: boolean;
  /** Whether the last message could not be planned: then the run has not done what it was asked. */
  readonly planningFailed: boolean;
}

/** Whether the plan stands still only because an earlier server was stopped. */
export const isLeftOver = (state: WorkspaceState, sessionId: string): boolean =>
  state.execution.pausedFor === "shutdown" && !isPlanning(state, sessionId);

const BUSY: ReadonlySet<TaskStatus> = new Set(["RUNNING", "READY", "RETRY_WAIT"]);

/** The exit code once there is nothing left to wait for; null before that. Pure. */
export function endOf(
  state: WorkspaceState,
  sessionId: string,
  { forAnswers, forDefaults, planningFailed }: Waits,
  now: number,
): number | null {
  if (isPlanning(state, sessionId) || isLeftOver(state, sessionId)) return null;
  const statuses = [...state.tasks.values()].map((task) => statusOf(state, task, now));
  if (statuses.some((status) => BUSY.has(status))) return null;
  const questions = openQuestions(state);
  const isHeld = state.execution.status === "PAUSED" || questions.length > 0;
  const movesByItself = forDefaults && questions.some((question) => question.default !== null);
  if (isHeld && (forAnswers || movesByItself)) return null;
  return !planningFailed &&
    statuses.length > 0 &&
    statuses.every((status) => status === "SUCCEEDED")
    ? 0
    : 1;
}
