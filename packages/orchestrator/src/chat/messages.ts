import type { ChatMessage, ChatQuestion } from "@multiverse/protocol/chat-message";
import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";

export interface Words {
  readonly id: string;
  readonly sessionId: string;
  readonly role: ChatMessage["role"];
  readonly content: string;
  readonly at: string;
  readonly generatedTasks?: readonly string[];
  readonly questions?: readonly ChatQuestion[];
}

export const messageFact = ({
  at,
  generatedTasks = [],
  questions = [],
  ...rest
}: Words): NewFact => ({
  kind: "chat.message",
  payload: {
    message: {
      ...rest,
      timestamp: at,
      generatedTasks: [...generatedTasks],
      questions: [...questions],
    },
  },
});

/** An answer's id follows from the message it answers, so that a retry cannot answer (or plan) twice. */
export const replyId = (messageId: string): string => `${messageId.slice(0, 120)}-re`;

export const hasMessage = (state: WorkspaceState, sessionId: string, messageId: string): boolean =>
  state.sessions.get(sessionId)?.messages.some((message) => message.id === messageId) ?? false;

/** Messages of people that nobody answered, because the process that would have was killed. */
export function unanswered(state: WorkspaceState): ChatMessage[] {
  return [...state.sessions.values()].flatMap(({ messages }) => {
    const ids = new Set(messages.map((message) => message.id));
    return messages.filter(
      (message) =>
        message.role === "user" && !ids.has(replyId(message.id)) && message === messages.at(-1),
    );
  });
}
