import { noUsage, type Usage } from "@multiverse/protocol/usage";
import { z } from "zod";

/** The parts of a chat completion we read; servers differ in everything else. */
const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z
            .union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
            .nullish(),
          refusal: z.string().nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z
    .object({ prompt_tokens: z.number().default(0), completion_tokens: z.number().default(0) })
    .nullish()
    .catch(null),
});

export interface OpenaiReply {
  readonly text: string;
  readonly usage: Usage;
  readonly problem?: string;
}

/** Null if the body is no chat completion at all: cut short on the way, or not from such a server. */
export function readCompletion(body: string): OpenaiReply | null {
  const parsed = Completion.safeParse(jsonOf(body));
  const choice = parsed.data?.choices[0];
  if (!parsed.success || choice === undefined) return null;
  const { content, refusal } = choice.message;
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  const usage = usageOf(parsed.data.usage);
  if (text === "" && refusal)
    return { text: refusal, usage, problem: `the model refused: ${refusal.slice(0, 500)}` };
  const isCut = choice.finish_reason === "length";
  return isCut
    ? { text, usage, problem: "the answer was cut off before its end; make it shorter" }
    : { text, usage };
}

function usageOf(
  usage: { prompt_tokens: number; completion_tokens: number } | null | undefined,
): Usage {
  if (!usage) return noUsage;
  return {
    inputTokens: count(usage.prompt_tokens),
    outputTokens: count(usage.completion_tokens),
    usd: null,
  };
}
const count = (n: number): number => (Number.isFinite(n) && n > 0 ? Math.round(n) : 0);

const ErrorReply = z.object({
  error: z.union([
    z.string().transform((message) => ({ message, code: null, param: null })),
    z.object({
      message: z.string().default(""),
      code: z
        .union([z.string(), z.number()])
        .nullish()
        .transform((code) => (code === null || code === undefined ? null : String(code))),
      param: z
        .string()
        .nullish()
        .transform((param) => param ?? null),
    }),
  ]),
});

export interface OpenaiFault {
  readonly message: string;
  readonly code: string | null;
  readonly param: string | null;
}

/** What a server said about a request it did not like. */
export function readFault(body: string): OpenaiFault {
  const parsed = ErrorReply.safeParse(jsonOf(body));
  if (parsed.success)
    return { ...parsed.data.error, message: parsed.data.error.message.slice(0, 500) };
  return { message: body.replace(/\s+/g, " ").slice(0, 300), code: null, param: null };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
