import type { BuildTaskAnswer, BuildTaskRequest } from "@multiverse/protocol/meta/build-task";
import type {
  CompletionAssessmentAnswer,
  CompletionAssessmentRequest,
} from "@multiverse/protocol/meta/completion-assessment";
import type { DecomposeAnswer } from "@multiverse/protocol/meta/decompose";
import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import type { NextActionAnswer, RunSituation } from "@multiverse/protocol/meta/next-action";
import type { PlanTaskAnswer, PlanTaskRequest } from "@multiverse/protocol/meta/plan-task";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { PlanRequest } from "@multiverse/protocol/plan-request";
import type { Usage } from "@multiverse/protocol/usage";

/** The record of one call, for the TaskContext, the note and the recording. Secrets are already masked. */
export interface MetaCallLog {
  readonly type: MetaCall;
  readonly timestamp: string;
  readonly request: unknown;
  readonly response: unknown;
  readonly provider: string;
  readonly model: string;
  readonly durationMs: number;
  readonly usage: Usage;
}

export interface MetaReply<Answer> {
  readonly answer: Answer;
  readonly call: MetaCallLog;
}

/**
 * The LLM that plans, decides and assesses. Every answer has passed its schema. A call that fails after its retries
 * throws a MultiverseError (META_BAD_ANSWER, META_UNAVAILABLE, META_TIMEOUT, META_KEY_MISSING, LOGIN_MISSING,
 * RATE_LIMITED) with a hint; an aborted signal throws CANCELED.
 */
export interface MetaAgent {
  planTask(request: PlanTaskRequest, signal: AbortSignal): Promise<MetaReply<PlanTaskAnswer>>;
  nextAction(request: RunSituation, signal: AbortSignal): Promise<MetaReply<NextActionAnswer>>;
  assess(
    request: CompletionAssessmentRequest,
    signal: AbortSignal,
  ): Promise<MetaReply<CompletionAssessmentAnswer>>;
  decompose(request: PlanRequest, signal: AbortSignal): Promise<MetaReply<DecomposeAnswer>>;
  planPatch(request: PlanRequest, signal: AbortSignal): Promise<MetaReply<PlanPatch>>;
  buildTask(request: BuildTaskRequest, signal: AbortSignal): Promise<MetaReply<BuildTaskAnswer>>;
}
