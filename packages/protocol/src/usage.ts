import { z } from "zod";
import { Count } from "./text.ts";

/** Tokens and money of a call, a run or a task. `usd` is null where nobody said a price. */
export const Usage = z.object({
  input_tokens: Count.default(0),
  output_tokens: Count.default(0),
  usd: z.number().nonnegative().nullable().default(null),
});
export type Usage = { inputTokens: number; outputTokens: number; usd: number | null };

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, usd: null };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  usd: a.usd === null ? b.usd : b.usd === null ? a.usd : a.usd + b.usd,
});
