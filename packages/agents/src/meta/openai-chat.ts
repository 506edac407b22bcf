import type { Clock } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import { noUsage } from "@multiverse/protocol/usage";
import { createMask } from "../secrets.ts";
import { cappedBody } from "./capped-body.ts";
import { endpointOf } from "./endpoint.ts";
import { connectionError, statusError } from "./openai-errors.ts";
import { readCompletion, readFault, type OpenaiFault } from "./openai-reply.ts";
import type { Provider, ProviderReply, ProviderRequest } from "./provider.ts";
import { canceled } from "./rate-limited-error.ts";

export interface OpenaiChatOptions {
  readonly model: string;
  /** Null only for servers that want none, such as one on this machine. */
  readonly apiKey: string | null;
  readonly baseUrl: string;
  readonly temperature: number | undefined;
  readonly timeoutSec: number;
  readonly clock: Clock;
}

/** Escapes can double the size of an answer on the wire; what is longer than this cannot be a good one. */
const MAX_BODY_BYTES = 2 * LIMITS.metaAnswerBytes + 65_536;

/** What a server turned out not to know; it is not asked for it again. */
interface Offer {
  format: "json_schema" | "json_object" | "none";
  effort: boolean;
  temperature: boolean;
}

/** Any server with OpenAI's chat completions. Optional features are given up one by one as the server refuses them. */
export function openaiChat(options: OpenaiChatOptions): Provider {
  const offer: Offer = { format: "json_schema", effort: true, temperature: true };
  return {
    kind: "openai-chat",
    model: options.model,
    schemaForm: "strict",
    async ask(request, signal) {
      for (;;) {
        const sent = { ...offer };
        const got = await send(options, bodyOf(options, request, sent), signal);
        if ("reply" in got) return got.reply;
        if (!giveUp(offer, sent, got)) throw got.error;
      }
    },
  };
}

type Got = { reply: ProviderReply } | Refused;
interface Refused {
  readonly status: number;
  readonly fault: OpenaiFault;
  readonly error: MultiverseError;
}

function bodyOf(
  { model, temperature }: OpenaiChatOptions,
  request: ProviderRequest,
  offer: Offer,
): string {
  const { call, system, messages, schema, effort } = request;
  const format = {
    json_schema: {
      response_format: { type: "json_schema", json_schema: { name: call, strict: true, schema } },
    },
    json_object: { response_format: { type: "json_object" } },
    none: {},
  };
  return JSON.stringify({
    model,
    messages: [
      { role: "system", content: system },
      ...messages.map(({ role, text }) => ({ role, content: text })),
    ],
    ...format[offer.format],
    ...(offer.effort ? { reasoning_effort: effort } : {}),
    ...(offer.temperature && temperature !== undefined ? { temperature } : {}),
  });
}

async function send(options: OpenaiChatOptions, body: string, signal: AbortSignal): Promise<Got> {
  const { apiKey, baseUrl, timeoutSec, clock, model } = options;
  const { url, shown, headers } = endpointOf(baseUrl, apiKey);
  const timeout = AbortSignal.timeout(Math.ceil(timeoutSec * 1_000));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...headers,
      },
      body,
      // A redirect could carry the request, and all that is in it, to another host.
      redirect: "error",
      signal: AbortSignal.any([signal, timeout]),
    });
    const text = await cappedBody(response, MAX_BODY_BYTES);
    if (response.ok) return { reply: replyOf(text, shown) };
    const said = readFault(text ?? "");
    // Some servers quote the key they refuse.
    const fault = { ...said, message: createMask([apiKey ?? ""]).mask(said.message) };
    const retryAfter = response.headers.get("retry-after");
    const error = statusError(response.status, fault, {
      retryAfter,
      now: clock.now(),
      url: shown,
      model,
    });
    return { status: response.status, fault, error };
  } catch (cause) {
    if (signal.aborted) throw canceled();
    if (cause instanceof MultiverseError) throw cause;
    throw connectionError(cause, timeout.aborted, timeoutSec, shown);
  }
}

function replyOf(text: string | null, baseUrl: string): ProviderReply {
  const tooLarge = `the answer is larger than ${LIMITS.metaAnswerBytes / 1_048_576} MiB`;
  if (text === null) return { text: "", usage: noUsage, problem: tooLarge };
  const reply = readCompletion(text);
  if (reply !== null) return reply;
  throw new MultiverseError(
    "META_UNAVAILABLE",
    "the answer of the API is cut short or no chat completion",
    {
      hint: `Check that ${baseUrl} is the address of an OpenAI-compatible API (it usually ends in /v1).`,
      retryable: true,
    },
  );
}

/** Whether the refusal was about something optional; if so it is not asked for any more. */
function giveUp(offer: Offer, sent: Offer, { status, fault }: Refused): boolean {
  if (status !== 400 && status !== 422) return false;
  const about = `${fault.param ?? ""} ${fault.code ?? ""} ${fault.message}`.toLowerCase();
  if (sent.effort && about.includes("reasoning")) offer.effort = false;
  else if (sent.temperature && about.includes("temperature")) offer.temperature = false;
  else if (
    sent.format !== "none" &&
    /response_format|json_schema|json_object|json mode|schema/.test(about)
  )
    offer.format = sent.format === "json_schema" ? "json_object" : "none";
  else return false;
  return true;
}
