import type { NewId } from "@multiverse/protocol/clock";
import type { NewFact } from "@multiverse/protocol/fact";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { patchInSteps } from "../plan/patch-to-facts.ts";
import { draftPlan } from "../plan/plan-draft.ts";
import { autopilot } from "./autopilot.ts";
import { languageOf } from "./language.ts";
import { hasMessage, messageFact, replyId } from "./messages.ts";
import { planningQuestions } from "./questions.ts";
import { planReply } from "./reply.ts";
import { secondThoughts } from "./second-thoughts.ts";

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

/** Facts per step, where there are many. */
const STEP = 100;

/**
 * The plan, its questions, the answer in the chat and the start of execution, as one commit. Pure, and in steps: a plan
 * of thousands of tasks must not hold up everybody else.
 */
export function* planTurnFacts(
  before: WorkspaceState,
  turn: PlanTurn,
): Generator<undefined, readonly NewFact[]> {
  const { sessionId, messageId, askedBy = messageId, text, projectRoot, at, newId } = turn;
  if (hasMessage(before, sessionId, replyId(messageId))) return [];
  const language = languageOf(text);
  const thoughts = yield* secondThoughts(before, turn.patch, text, language);
  const patch = thoughts.verdict === "go" ? turn.patch : thoughts.patch;
  const suspicion = thoughts.verdict === "ask" ? thoughts.suspicion : null;
  const change = yield* patchInSteps(before, patch, { text, by: "meta-agent", at, projectRoot });
  const origin = { sessionId, messageId: askedBy, suspicion, at };
  const { facts: questions, asked } = planningQuestions(patch.questions, origin, newId);
  const draft = draftPlan(before, at);
  for (const [i, fact] of change.facts.entries()) {
    if (i > 0 && i % STEP === 0) yield;
    draft.add(fact);
  }
  draft.add(...questions);
  draft.add(
    messageFact({
      id: replyId(messageId),
      sessionId,
      role: "assistant",
      content: planReply(draft.state, patch, change, language),
      at,
      generatedTasks: change.created,
      questions: asked,
    }),
  );
  draft.add(...autopilot(draft.state, change.facts.length > 0));
  return draft.facts;
}
