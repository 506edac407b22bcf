import { toSnake } from "@multiverse/protocol/case";
import { MultiverseError } from "@multiverse/protocol/error";
import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import { addUsage, noUsage, type Usage } from "@multiverse/protocol/usage";
import type { z } from "zod";
import { readAnswer, type Reading } from "./answer-reader.ts";
import { answerSchema } from "./answer-schema.ts";
import { askOnce } from "./ask-once.ts";
import type { AskOptions } from "./ask-options.ts";
import { CALLS } from "./calls.ts";
import { effortOf } from "./effort.ts";
import { withFailedCall } from "./failed-call.ts";
import type { MetaCallLog } from "./meta-agent.ts";
import { repairMessage, userMessage } from "./prompts/user-message.ts";
import type { ProviderMessage } from "./provider.ts";

/** What has come back so far. */
interface Heard {
  readonly raw: string[];
  usage: Usage;
}

/** One call: asked, retried, read, asked again with the reason if the answer cannot be used, and recorded. */
export async function ask<Schema extends z.ZodType>(
  options: AskOptions,
  call: MetaCall,
  schema: Schema,
  request: object,
  signal: AbortSignal,
): Promise<{ answer: z.output<Schema>; call: MetaCallLog }> {
  const { provider, clock, report, mask } = options;
  const { kind, model } = provider;
  const started = clock.monotonic();
  const timestamp = clock.now().toISOString();
  const heard: Heard = { raw: [], usage: noUsage };
  report({ type: "meta", phase: "started", call, provider: kind, model });

  const logOf = (response: unknown): MetaCallLog =>
    mask.maskDeep({
      type: call,
      timestamp,
      request: toSnake(request),
      response,
      provider: kind,
      model,
      durationMs: Math.round(clock.monotonic() - started),
      usage: heard.usage,
    });
  const keep = (log: MetaCallLog, problem: string | null): void =>
    options.record({ ...log, raw: heard.raw.map((text) => mask.mask(text)), problem });

  try {
    const reading = await askUntilUsable(options, call, schema, request, signal, heard);
    if ("problem" in reading) throw badAnswer(call, mask.mask(reading.problem));
    const log = logOf(reading.answer);
    keep(log, null);
    const { durationMs, usage } = log;
    report({ type: "meta", phase: "completed", call, provider: kind, model, durationMs, usage });
    return { answer: reading.answer, call: log };
  } catch (error) {
    if (!(error instanceof MultiverseError) || error.code === "CANCELED") throw error;
    const log = logOf({ error: error.message });
    keep(log, mask.mask(error.message));
    throw withFailedCall(error, log);
  }
}

const MOST_ASKS = 3;
const RAW_QUOTED = 20_000;

async function askUntilUsable<Schema extends z.ZodType>(
  options: AskOptions,
  call: MetaCall,
  schema: Schema,
  request: object,
  signal: AbortSignal,
  heard: Heard,
): Promise<Reading<z.output<Schema>>> {
  const { log, report, mask, provider } = options;
  const payload: unknown = toSnake(request);
  const system = options.systemPrompt ?? CALLS[call].system;
  const first: ProviderMessage = {
    role: "user",
    text: userMessage(call, payload, CALLS[call].shape),
  };
  let messages: readonly ProviderMessage[] = [first];
  for (let asked = 1; ; asked++) {
    const effort = effortOf(request);
    const question = {
      call,
      payload,
      system,
      messages,
      schema: answerSchema(call, provider.schemaForm),
      effort,
    };
    const reply = await askOnce(options, question, signal);
    heard.usage = addUsage(heard.usage, reply.usage);
    heard.raw.push(reply.text);
    const reading =
      reply.problem === undefined ? readAnswer(call, schema, reply) : { problem: reply.problem };
    if ("answer" in reading || asked === MOST_ASKS) return reading;
    const { problem } = reading;
    log.warn("unusable answer", { call, asked, problem });
    const message = `unusable answer: ${mask.mask(problem)}`;
    report({
      type: "meta",
      phase: "retry",
      call,
      provider: provider.kind,
      model: provider.model,
      message,
    });
    const quoted: ProviderMessage = { role: "assistant", text: reply.text.slice(0, RAW_QUOTED) };
    messages = [first, quoted, { role: "user", text: repairMessage(call, problem) }];
  }
}

const badAnswer = (call: MetaCall, problem: string): MultiverseError =>
  new MultiverseError(
    "META_BAD_ANSWER",
    `the meta-agent's answer to ${call} was unusable ${MOST_ASKS} times: ${problem}`,
    {
      hint: "Try again, or choose a stronger model. Its answers are in the recording, if one was made (--record).",
    },
  );
