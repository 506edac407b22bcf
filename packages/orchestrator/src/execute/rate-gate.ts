import type { WorkspaceState } from "@multiverse/protocol/state";

/** However far away a provider says its limit lifts, one probe an hour finds out. */
const LONGEST_CLOSED_MS = 3_600_000;

/**
 * One rate limit closes the gate for every task, and one probe reopens it: a storm of 429s starts no storm of processes.
 *
 *   open ──limited(until)──▶ closed ──time──▶ probe ──started──▶ closed ──proof──▶ open
 *                              ▲                                    │
 *                              └───────────── limited ──────────────┘
 */
export interface RateGate {
  status(now: number): "open" | "probe" | "closed";
  limited(until: number, now: number): void;
  started(attemptId: string, now: number): void;
  /** The attempt got an answer from its provider, or ended without being limited. */
  proven(attemptId: string): void;
  /** When to look again, or null. */
  opensAt(now: number): number | null;
}

export function rateGate(state: WorkspaceState, now: number): RateGate {
  let closedUntil: number | null = null;
  let probe: string | null = null;
  const gate: RateGate = {
    status(at) {
      if (closedUntil === null) return "open";
      return at < closedUntil || probe !== null ? "closed" : "probe";
    },
    limited(until, at) {
      closedUntil = Math.max(closedUntil ?? 0, Math.min(until, at + LONGEST_CLOSED_MS));
      probe = null;
    },
    started(attemptId, at) {
      if (gate.status(at) === "probe") probe = attemptId;
    },
    proven(attemptId) {
      if (probe !== attemptId) return;
      probe = null;
      closedUntil = null;
    },
    opensAt: (at) => (closedUntil !== null && closedUntil > at ? closedUntil : null),
  };
  for (const task of state.tasks.values()) {
    if (task.progress === "waiting" && task.retryCause === "rate_limit" && task.retryAt)
      gate.limited(Date.parse(task.retryAt), now);
  }
  return gate;
}
