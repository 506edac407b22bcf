import type { Signal } from "@multiverse/protocol/signal";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { isPlanning } from "../run-end.ts";

/** How the planning of a session stands. */
export interface Planning {
  /** Since when the planner thinks; null if it does not. */
  readonly since: number | null;
  /** Whether the last message could not be planned. */
  readonly failed: boolean;
  state(state: WorkspaceState): void;
  signal(signal: Signal): void;
}

/** Follows the planner: that it thinks is in the facts, that it failed is a step it tells. */
export function followPlanning(sessionId: string, now: () => number): Planning {
  let since: number | null = null;
  let failed = false;
  return {
    get since() {
      return since;
    },
    get failed() {
      return failed;
    },
    state(state) {
      since = isPlanning(state, sessionId) ? (since ?? now()) : null;
    },
    signal(signal) {
      if (signal.signal !== "chat:progress" || signal.data.sessionId !== sessionId) return;
      if (signal.data.step === "Processing") failed = false;
      if (signal.data.step === "Failed") failed = true;
    },
  };
}
