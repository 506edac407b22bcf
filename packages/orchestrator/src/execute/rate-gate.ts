import type { WorkspaceState } from "@multiverse/protocol/state";
import { LONGEST_LIMIT_MS } from "./retry.ts";

/**
 * One rate limit closes the gate for every task, and one probe reopens it: a storm of 429s starts no storm of processes.
 *
 *   open ──limited(for)──▶ closed ──time──▶ probe ──started──▶ closed ──proof──▶ open
 *                            ▲                                    │
 *                            └───────────── limited ──────────────┘
 *
 * There is one for a workspace, not one for each login: a run ends with a limit only after every candidate it may fall
 * back on has refused (one login's limit is the tooling's own affair, shared on the machine), and tasks share their tooling.
 *
 * Times are monotonic, so that a clock that is set neither opens nor jams the gate.
 */
export class RateGate {
  private closedUntil: number | null = null;
  private probe: string | null = null;

  status(now: number): "open" | "probe" | "closed" {
    if (this.closedUntil === null) return "open";
    return now < this.closedUntil || this.probe !== null ? "closed" : "probe";
  }

  limited(forMs: number, now: number): void {
    const until = now + Math.max(0, Math.min(forMs, LONGEST_LIMIT_MS));
    this.closedUntil = Math.max(this.closedUntil ?? until, until);
    this.probe = null;
  }

  started(attemptId: string, now: number): void {
    if (this.status(now) === "probe") this.probe = attemptId;
  }

  /** The attempt got an answer from its provider, or ended without being limited. */
  proven(attemptId: string): void {
    if (this.probe !== attemptId) return;
    this.probe = null;
    this.closedUntil = null;
  }

  /** How long until it is worth looking again, or null. */
  opensIn(now: number): number | null {
    return this.closedUntil !== null && this.closedUntil > now ? this.closedUntil - now : null;
  }
}

/** The gate as an earlier process left it: the limits that tasks still wait for. */
export function openGate(state: WorkspaceState, wall: number, monotonic: number): RateGate {
  const gate = new RateGate();
  for (const task of state.tasks.values()) {
    if (task.progress !== "waiting" || task.retryCause !== "rate_limit" || !task.retryAt) continue;
    const left = Date.parse(task.retryAt) - wall;
    if (left > 0) gate.limited(left, monotonic);
  }
  return gate;
}
