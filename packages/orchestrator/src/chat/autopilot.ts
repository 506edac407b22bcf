import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { hasBlockingQuestion } from "./questions.ts";

/** What execution should do after the plan changed: no button is needed, and a person's pause is respected. Pure. */
export function autopilot(state: WorkspaceState, hasPlanned: boolean): NewFact[] {
  const { status, pausedFor } = state.execution;
  const isLeftOver = pausedFor === "shutdown" && hasPlanned; // nobody's wish; new work says go on
  if (status === "PAUSED" && !isLeftOver) return liftQuestionPause(state);
  // Also where nothing has run yet: the pause is how anyone, after a crash too, knows that an answer is to be planned with.
  if (hasBlockingQuestion(state))
    return [{ kind: "execution.paused", payload: { reason: "question" } }];
  const hasWork = state.index.runnable.size > 0;
  if (isLeftOver) return hasWork ? [{ kind: "execution.resumed", payload: {} }] : [];
  return status === "IDLE" && hasWork ? [{ kind: "execution.started", payload: {} }] : [];
}

/** A pause for a question ends with the last answer, also where planning with it failed. Pure. */
export function liftQuestionPause(state: WorkspaceState): NewFact[] {
  const isOver = state.execution.pausedFor === "question" && !hasBlockingQuestion(state);
  return isOver ? [{ kind: "execution.resumed", payload: {} }] : [];
}
