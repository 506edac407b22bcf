import type { MetaCall } from "@multiverse/protocol/meta/envelope";

/** The request as data, and the form of the answer: it stands here so that a system prompt of one's own cannot lose it. */
export const userMessage = (call: MetaCall, payload: unknown, shape: string): string =>
  `${JSON.stringify({ type: call, version: 1, payload })}

Answer the ${call} request above with exactly one JSON document of this form, without code fences or commentary:
${shape}`;

const QUOTED = 8_000;

/** Asks again after an answer that could not be used, with the reason in its own words. */
export const repairMessage = (call: MetaCall, problem: string): string =>
  `Your answer could not be used: ${problem.slice(0, QUOTED)}

Answer the ${call} request again, with the whole document, corrected: exactly one JSON document, no code fences, no commentary.`;
