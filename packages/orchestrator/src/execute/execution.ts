import { MultiverseError } from "@multiverse/protocol/error";
import type { NewFact } from "@multiverse/protocol/fact";
import type { ExecutionAction } from "@multiverse/protocol/http/requests";
import type { WorkspaceState } from "@multiverse/protocol/state";

/**
 * What a person's wish about execution means: `IDLE → RUNNING ⇄ PAUSED`, stop from either → IDLE. Asking for what is
 * already so changes nothing. Pure.
 */
export function executionFacts({ execution }: WorkspaceState, action: ExecutionAction): NewFact[] {
  const { status, pausedFor } = execution;
  switch (action) {
    case "start":
    case "resume": // from IDLE, resume is start
      if (status === "RUNNING") return [];
      return [
        { kind: status === "PAUSED" ? "execution.resumed" : "execution.started", payload: {} },
      ];
    case "pause":
      if (status === "IDLE")
        throw new MultiverseError("CONFLICT", "Nothing is running, so nothing can be paused.", {
          hint: "Start execution first.",
        });
      return pausedFor === "person"
        ? []
        : [{ kind: "execution.paused", payload: { reason: "person" } }];
    case "stop":
      return status === "IDLE" ? [] : [{ kind: "execution.stopped", payload: {} }];
  }
}
