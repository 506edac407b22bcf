import type { FactWire } from "./fact.ts";
import type { SavedState } from "./saved-state.ts";
import type { Signal } from "./signal.ts";

/**
 * What the server sends over the WebSocket. A reader who is behind gets the missing facts, or the state if it is too far
 * behind; one that is too slow is told to `resync` (it asks again from its own seq) and loses signals, never facts.
 */
export type SocketMessage =
  | { readonly seq: number; readonly facts: readonly FactWire[] }
  | { readonly seq: number; readonly state: SavedState }
  | { readonly resync: true; readonly reason: string }
  | Signal;

/** The last fact a client has. Its id tells whether history still has that fact under that number. */
export interface ResumePoint {
  readonly seq: number;
  /** Null: the client does not say. */
  readonly factId: string | null;
}

/** Where a workspace's events are, below /api/v1: from the state on, or from where a client stands. */
export function eventsPath(workspaceId: string, from: ResumePoint | null): string {
  const query = new URLSearchParams();
  if (from) query.set("since", String(from.seq));
  if (from?.factId) query.set("fact", from.factId);
  const path = `/workspaces/${encodeURIComponent(workspaceId)}/events`;
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

/** Close codes of our own. */
export const SOCKET_CLOSE = { goingAway: 1001, tooSlow: 4008, workspaceClosed: 4010 } as const;
