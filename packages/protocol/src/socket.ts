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

/** Close codes of our own. */
export const SOCKET_CLOSE = { goingAway: 1001, tooSlow: 4008, workspaceClosed: 4010 } as const;
