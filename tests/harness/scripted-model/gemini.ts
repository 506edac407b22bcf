import type { ServerResponse } from "node:http";
import { z } from "zod";
import { writeCommand } from "./openai.ts";
import { COST, STATUS, type Refusal, type Reply, type Turn } from "./script.ts";
import { breakOff, newId, openEvents, sendJson, wordsOf } from "./sse.ts";

/** Google's Gemini protocol, as Gemini CLI speaks it. */

const Part = z.object({ text: z.string().default(""), functionResponse: z.unknown().optional() });
const Request = z.object({
  contents: z
    .array(z.object({ role: z.string().default("user"), parts: z.array(Part).default([]) }))
    .default([]),
  tools: z
    .array(z.object({ functionDeclarations: z.array(z.object({ name: z.string() })).default([]) }))
    .default([]),
  generationConfig: z.object({ responseMimeType: z.string().optional() }).optional(),
});

export function answerGemini(
  path: string,
  body: unknown,
  scenario: (turn: Turn) => Reply,
  response: ServerResponse,
): void {
  const [, model = "", method = ""] = /models\/([^:/]+):(\w+)/.exec(path) ?? [];
  if (method === "countTokens") return sendJson(response, 200, { totalTokens: COST.input });
  const request = Request.parse(body);
  const names = request.tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name));
  const isResult = (content: (typeof request.contents)[number]): boolean =>
    content.parts.some(({ functionResponse }) => functionResponse !== undefined);
  const lastUser = request.contents.findLastIndex(
    (each) => each.role === "user" && !isResult(each),
  );
  const reply = scenario({
    protocol: "gemini",
    model,
    prompt: request.contents[lastUser]?.parts.map(({ text }) => text).join(" ") ?? "",
    results: request.contents.slice(lastUser + 1).filter(isResult).length,
    hasTools: names.length > 0,
  });
  if ("refuse" in reply) return refuse(response, reply.refuse, model);
  const parts = partsOf(
    reply,
    names,
    request.generationConfig?.responseMimeType === "application/json",
  );
  if (method !== "streamGenerateContent") {
    if (!("hang" in reply)) sendJson(response, 200, chunk(model, parts, true));
    return;
  }
  const send = openEvents(response);
  if ("hang" in reply || "cut" in reply) {
    send(chunk(model, [{ text: "partial " }], false));
    if ("cut" in reply) breakOff(response);
    return;
  }
  for (const [i, part] of parts.entries()) send(chunk(model, [part], i === parts.length - 1));
  response.end();
}

/** Side questions of the CLI want JSON and come without tools. */
function partsOf(
  reply: Exclude<Reply, { refuse: Refusal }>,
  names: readonly string[],
  json: boolean,
): object[] {
  if (names.length === 0 && json) {
    const answer = { reasoning: "scripted", next_speaker: "user", model_choice: "flash" };
    return [{ text: JSON.stringify(answer) }];
  }
  if ("say" in reply) return wordsOf(reply.say).map((text) => ({ text }));
  if ("write" in reply && names.includes("write_file")) {
    const args = { file_path: reply.write.path, content: reply.write.content };
    return [{ functionCall: { name: "write_file", args } }];
  }
  if (!("run" in reply || "write" in reply)) return [];
  const command = "run" in reply ? reply.run : writeCommand(reply.write);
  return [
    { functionCall: { name: "run_shell_command", args: { command, description: "scripted" } } },
  ];
}

const chunk = (model: string, parts: readonly object[], last: boolean): object => ({
  candidates: [
    { content: { role: "model", parts }, index: 0, ...(last ? { finishReason: "STOP" } : {}) },
  ],
  usageMetadata: {
    promptTokenCount: COST.input,
    cachedContentTokenCount: COST.cached,
    candidatesTokenCount: COST.output,
    totalTokenCount: COST.input + COST.output,
  },
  modelVersion: model,
  responseId: newId("g"),
});

const REFUSALS: Readonly<Record<Refusal, readonly [status: string, message: string]>> = {
  rate_limit: ["RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 1.5s."],
  quota: ["RESOURCE_EXHAUSTED", "You exceeded your current quota (per day)."],
  login: ["UNAUTHENTICATED", "API keys are not valid. Please pass a valid API key."],
  server: ["INTERNAL", "An internal error has occurred."],
  bad_request: ["INVALID_ARGUMENT", "Bad request."],
};

function refuse(response: ServerResponse, refusal: Refusal, model: string): void {
  const [status, message] = REFUSALS[refusal];
  const violation = {
    quotaMetric: "generativelanguage.googleapis.com/generate_content_requests",
    quotaId: `GenerateRequestsPer${refusal === "quota" ? "Day" : "Minute"}PerProjectPerModel`,
    quotaDimensions: { model },
  };
  const details =
    STATUS[refusal] === 429
      ? [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [violation] }]
      : [];
  const error = { code: STATUS[refusal], message, status, details };
  sendJson(response, STATUS[refusal], { error });
}
