import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { hasBlockingQuestion } from "./questions.ts";

/** What execution should do after the plan changed: no button is needed, and a person's pause is respected. Pure. */
export function autopilot(state: WorkspaceState): NewFact[] {
  const { status, pausedFor } = state.execution;
  if (hasBlockingQuestion(state))
    return status === "RUNNING"
      ? [{ kind: "execution.paused", payload: { reason: "question" } }]
      : [];
  if (status === "PAUSED")
    return pausedFor === "question" ? [{ kind: "execution.resumed", payload: {} }] : [];
  return status === "IDLE" && hasWork(state) ? [{ kind: "execution.started", payload: {} }] : [];
}

const hasWork = (state: WorkspaceState): boolean => {
  for (const id of state.index.runnable) if (state.tasks.get(id)) return true;
  return false;
};
