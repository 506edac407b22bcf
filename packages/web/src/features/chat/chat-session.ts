import type { ChatMessage } from "@multiverse/protocol/chat-message";
import type { ChatSession, WorkspaceState } from "@multiverse/protocol/state";

/** Sessions, the one talked in last first. */
export function sessionsOf(state: WorkspaceState): ChatSession[] {
  return [...state.sessions.values()].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

/** A message under way: shown at once, replaced by the fact when it arrives, honest when it fails. */
export interface PendingMessage {
  readonly clientId: string;
  readonly sessionId: string | null;
  readonly text: string;
  readonly messageId: string | null;
  readonly error: unknown;
}

/** The messages to show: older ones fetched on request, then those of the state, each once. */
export function shownMessages(
  session: ChatSession | undefined,
  earlier: readonly ChatMessage[],
): readonly ChatMessage[] {
  const recent = session?.messages ?? [];
  if (earlier.length === 0) return recent;
  const known = new Set(recent.map((message) => message.id));
  return [...earlier.filter((message) => !known.has(message.id)), ...recent];
}

export const stillPending = (
  pending: readonly PendingMessage[],
  session: ChatSession | undefined,
): PendingMessage[] =>
  pending.filter(
    (p) => p.messageId === null || !session?.messages.some((message) => message.id === p.messageId),
  );

/** Enter sends, Shift-Enter breaks the line, and Enter that ends an IME composition does neither. */
export const sends = (event: {
  key: string;
  shiftKey: boolean;
  isComposing: boolean;
  keyCode: number;
}): boolean =>
  event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
