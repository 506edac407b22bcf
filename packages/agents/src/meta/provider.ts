import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import type { Usage } from "@multiverse/protocol/usage";
import type { RawAnswer } from "./answer-reader.ts";
import type { SchemaForm } from "../schema-form.ts";

export interface ProviderMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** One question to a model, ready to be sent. `call` and `payload` say the same as data, for a scripted model. */
export interface ProviderRequest {
  readonly call: MetaCall;
  readonly payload: unknown;
  readonly system: string;
  readonly messages: readonly ProviderMessage[];
  readonly schema: unknown;
  readonly effort: "medium" | "high";
}

export interface ProviderReply extends RawAnswer {
  readonly usage: Usage;
  /** Set when there is an answer but it cannot be read at all (too large, refused): asked again like any bad answer. */
  readonly problem?: string;
}

/**
 * A way to reach a model: one try, no retries. It throws a MultiverseError whose `retryable` says whether trying again
 * can help; a rate limit is a RateLimitedError.
 */
export interface Provider {
  readonly kind: string;
  readonly model: string;
  /** How it wants to be told the shape of an answer. */
  readonly schemaForm: SchemaForm;
  ask(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply>;
}
