import type { ServerResponse } from "node:http";
import { z } from "zod";
import { COST, STATUS, type Refusal, type Reply, type Turn } from "./script.ts";
import { breakOff, newId, openEvents, sendJson, wordsOf } from "./sse.ts";

/** Anthropic's Messages protocol, as Claude Code speaks it. */

const Block = z.object({ type: z.string(), text: z.string().default("") });
const Content = z.union([z.string(), z.array(Block)]);
const Request = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  system: Content.default(""),
  tools: z.array(z.object({ name: z.string() })).default([]),
  messages: z.array(z.object({ role: z.string(), content: Content })),
});
type Request = z.output<typeof Request>;

export function answerAnthropic(
  body: unknown,
  scenario: (turn: Turn) => Reply,
  response: ServerResponse,
): void {
  const request = Request.parse(body);
  const lastUser = request.messages.findLastIndex(
    (each) => each.role === "user" && !isResult(each),
  );
  const reply = scenario({
    protocol: "anthropic",
    model: request.model,
    prompt: textOf(request.messages[lastUser]?.content ?? ""),
    results: request.messages.slice(lastUser + 1).filter(isResult).length,
    hasTools: request.tools.length > 0,
  });
  if ("refuse" in reply) refuse(response, reply.refuse, reply.retryAfterSec);
  else if (request.stream) stream(response, request, reply);
  else if (!("hang" in reply)) whole(response, request, reply);
}

const isResult = ({ content }: Request["messages"][number]): boolean =>
  typeof content !== "string" && content.some(({ type }) => type === "tool_result");

const textOf = (content: z.output<typeof Content>): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join(" ");

type Answer = Exclude<Reply, { refuse: Refusal }>;
type ContentBlock =
  { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

const startUsage = {
  input_tokens: COST.input - COST.cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: COST.cached,
  output_tokens: 1,
};

/** What the CLI offers the model when it was given a schema for the answer. */
const STRUCTURED = "StructuredOutput";

function blocksOf(request: Request, reply: Answer): ContentBlock[] {
  if ("say" in reply) {
    const isAsked = request.tools.some(({ name }) => name === STRUCTURED);
    const last = request.messages.at(-1);
    if (!isAsked || (last && isResult(last))) return [{ type: "text", text: reply.say }];
    const input = JSON.parse(reply.say) as object;
    return [{ type: "tool_use", id: newId("toolu"), name: STRUCTURED, input }];
  }
  if (!("run" in reply || "write" in reply)) return [{ type: "text", text: "partial " }];
  const tool =
    "run" in reply
      ? { name: "Bash", input: { command: reply.run, description: "scripted", timeout: 300_000 } }
      : {
          name: "Write",
          input: {
            file_path: `${workdirOf(request)}/${reply.write.path}`,
            content: reply.write.content,
          },
        };
  return [
    { type: "text", text: "I will use a tool." },
    { type: "tool_use", id: newId("toolu"), ...tool },
  ];
}

/** Claude Code takes absolute paths, and says in its first words where it is. */
function workdirOf({ system, messages }: Request): string {
  const said = [textOf(system), ...messages.map(({ content }) => textOf(content))].join("\n");
  return /(?:Primary working directory|Working directory|CWD): *(\/\S*)/i.exec(said)?.[1] ?? ".";
}

const stopReason = (blocks: readonly ContentBlock[]): string =>
  blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";

function whole(response: ServerResponse, request: Request, reply: Answer): void {
  const content = blocksOf(request, reply);
  sendJson(response, 200, {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: request.model,
    content,
    stop_reason: stopReason(content),
    stop_sequence: null,
    usage: { ...startUsage, output_tokens: COST.output },
  });
}

function stream(response: ServerResponse, request: Request, reply: Answer): void {
  const send = openEvents(response);
  const event = (type: string, data: object = {}): void => send({ type, ...data }, type);
  const message = { id: newId("msg"), type: "message", role: "assistant", model: request.model };
  event("message_start", {
    message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage: startUsage },
  });
  if ("hang" in reply) return;
  const blocks = blocksOf(request, reply);
  for (const [index, block] of blocks.entries()) {
    const empty = block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} };
    event("content_block_start", { index, content_block: empty });
    for (const delta of deltasOf(block)) event("content_block_delta", { index, delta });
    if ("cut" in reply) return breakOff(response);
    event("content_block_stop", { index });
  }
  const delta = { stop_reason: stopReason(blocks), stop_sequence: null };
  event("message_delta", { delta, usage: { output_tokens: COST.output } });
  event("message_stop");
  response.end();
}

function deltasOf(block: ContentBlock): object[] {
  if (block.type === "tool_use")
    return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  return wordsOf(block.text).map((text) => ({ type: "text_delta", text }));
}

const REFUSALS: Readonly<Record<Refusal, readonly [type: string, message: string]>> = {
  rate_limit: ["rate_limit_error", "This request would exceed your organization's rate limit."],
  quota: ["rate_limit_error", "Your credit balance is too low to access the Anthropic API."],
  login: ["authentication_error", "invalid x-api-key"],
  server: ["api_error", "Internal server error"],
  bad_request: ["invalid_request_error", "bad request"],
};

function refuse(
  response: ServerResponse,
  refusal: Refusal,
  retryAfterSec: number | undefined,
): void {
  const [type, message] = REFUSALS[refusal];
  const headers =
    retryAfterSec === undefined ? undefined : { "retry-after": String(retryAfterSec) };
  sendJson(response, STATUS[refusal], { type: "error", error: { type, message } }, headers);
}
