import type { NewId } from "@multiverse/protocol/clock";
import type { NewFact } from "@multiverse/protocol/fact";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { patchToFacts } from "../plan/patch-to-facts.ts";
import { draftPlan } from "../plan/plan-draft.ts";
import { autopilot } from "./autopilot.ts";
import { languageOf } from "./language.ts";
import { hasMessage, messageFact, replyId } from "./messages.ts";
import { planningQuestions } from "./questions.ts";
import { planReply } from "./reply.ts";

/** One message and everything that answers it. */
export interface Turn {
  readonly sessionId: string;
  readonly messageId: string;
  readonly text: string;
  /** The person's message, where this turn plans an earlier one again. */
  readonly askedBy?: string;
}

export interface PlanTurn extends Turn {
  readonly patch: PlanPatch;
  readonly projectRoot: string;
  readonly at: string;
  readonly newId: NewId;
}

/** The plan, its questions, the answer in the chat and the start of execution, as one commit. Pure. */
export function planTurnFacts(before: WorkspaceState, turn: PlanTurn): readonly NewFact[] {
  const { sessionId, messageId, askedBy = messageId, text, patch, projectRoot, at, newId } = turn;
  if (hasMessage(before, sessionId, replyId(messageId))) return [];
  const change = patchToFacts(before, patch, { text, by: "meta-agent", at, projectRoot });
  const origin = { sessionId, messageId: askedBy, at };
  const { facts: questions, asked } = planningQuestions(patch.questions, origin, newId);
  const draft = draftPlan(before, at);
  draft.add(...change.facts, ...questions);
  draft.add(
    messageFact({
      id: replyId(messageId),
      sessionId,
      role: "assistant",
      content: planReply(draft.state, patch, change, languageOf(text)),
      at,
      generatedTasks: change.created,
      questions: asked,
    }),
  );
  draft.add(...autopilot(draft.state));
  return draft.facts;
}
