import type { ChatMessage, ChatQuestion } from "@multiverse/protocol/chat-message";
import type { NewId } from "@multiverse/protocol/clock";
import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { NewFact } from "@multiverse/protocol/fact";
import type { PlanQuestion } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";

export interface QuestionOrigin {
  readonly sessionId: string;
  readonly messageId: string;
  /** What the question is about, where it was raised by the plan change and not by the planner. */
  readonly suspicion: string | null;
  readonly at: string;
}

/** The planner's questions: backlog items and buttons in the chat. */
export function planningQuestions(
  questions: readonly PlanQuestion[],
  { sessionId, messageId, suspicion, at }: QuestionOrigin,
  newId: NewId,
): { facts: NewFact[]; asked: ChatQuestion[] } {
  const asked = questions.map((question) => ({
    backlogId: newId("bl"),
    text: question.text,
    options: question.options,
    blocking: question.blocking,
    default: question.default ?? null,
  }));
  const facts = asked.map((question): NewFact => ({
    kind: "backlog.added",
    payload: {
      item: {
        id: question.backlogId,
        taskId: null,
        type: "QUESTION",
        title: question.text.slice(0, 500),
        description: question.text,
        priority: question.blocking ? 5 : 3,
        createdAt: at,
        metadata: {
          source: "planning",
          sessionId,
          messageId,
          options: question.options,
          blocking: question.blocking,
          default: question.default,
          ...(suspicion === null ? {} : { suspicion }),
        },
      },
    },
  }));
  return { facts, asked };
}

export const isPlanningQuestion = (item: BacklogItem): boolean =>
  item.type === "QUESTION" && item.metadata["source"] === "planning";

/** The message of a person that a planning question came from. */
export function messageBehind(
  state: WorkspaceState,
  { metadata }: BacklogItem,
): ChatMessage | undefined {
  const { sessionId, messageId } = metadata;
  if (typeof sessionId !== "string") return undefined;
  const messages = state.sessions.get(sessionId)?.messages ?? [];
  return messages.find(({ id }) => id === messageId);
}

/** The blocking question that was answered last: what a killed process was about to plan with. */
export function lastAnswered(state: WorkspaceState): BacklogItem | undefined {
  const answered = [...state.backlog.values()].filter(
    (item) =>
      isPlanningQuestion(item) && item.metadata["blocking"] === true && item.resolvedAt !== null,
  );
  return answered.toSorted((a, b) => (a.resolvedAt ?? "").localeCompare(b.resolvedAt ?? "")).at(-1);
}

/** Whether a question the planner cannot go on without is still open. */
export const hasBlockingQuestion = (state: WorkspaceState): boolean =>
  [...state.backlog.values()].some(
    (item) =>
      isPlanningQuestion(item) && item.metadata["blocking"] === true && item.resolvedAt === null,
  );
