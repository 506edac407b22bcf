import type { ServerResponse } from "node:http";
import { z } from "zod";
import { COST, STATUS, type Refusal, type Reply, type Turn } from "./script.ts";
import { breakOff, newId, openEvents, sendJson } from "./sse.ts";

/** OpenAI's Responses protocol, as Codex speaks it. */

interface Tool {
  readonly type: string;
  readonly name?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
}
const Tool: z.ZodType<Tool> = z.lazy(() =>
  z.object({ type: z.string(), name: z.string().optional(), tools: z.array(Tool).optional() }),
);
const Text = z.union([z.string(), z.array(z.object({ text: z.string().default("") }))]);
const Request = z.object({
  model: z.string(),
  tools: z.array(Tool).default([]),
  input: z.array(
    z.object({
      type: z.string().default("message"),
      role: z.string().optional(),
      content: Text.nullish(),
      tools: z.array(Tool).optional(),
    }),
  ),
});
type Request = z.output<typeof Request>;

export function answerOpenAi(
  body: unknown,
  scenario: (turn: Turn) => Reply,
  response: ServerResponse,
): void {
  const request = Request.parse(body);
  const tools = toolsOf(request);
  const lastUser = request.input.findLastIndex(({ role }) => role === "user");
  const results = request.input
    .slice(lastUser + 1)
    .filter(({ type }) => type.endsWith("_output")).length;
  const content = request.input[lastUser]?.content ?? "";
  const prompt = typeof content === "string" ? content : content.map(({ text }) => text).join(" ");
  const reply = scenario({
    protocol: "openai",
    model: request.model,
    prompt,
    results,
    hasTools: tools.length > 0,
  });
  if ("refuse" in reply) refuse(response, reply.refuse, reply.retryAfterSec);
  else stream(response, request.model, reply, tools);
}

/** Newer models carry their tools in an input item, in namespaces. */
function toolsOf({ tools, input }: Request): Tool[] {
  const flat = (list: readonly Tool[]): Tool[] =>
    list.flatMap((tool) => (tool.type === "namespace" ? flat(tool.tools ?? []) : [tool]));
  return flat([
    ...tools,
    ...input.flatMap((item) => (item.type === "additional_tools" ? (item.tools ?? []) : [])),
  ]);
}

function stream(
  response: ServerResponse,
  model: string,
  reply: Exclude<Reply, { refuse: Refusal }>,
  tools: readonly Tool[],
): void {
  const send = openEvents(response);
  let sequence = 0;
  const event = (type: string, data: object): void =>
    send({ type, sequence_number: (sequence += 1), ...data }, type);
  const base = {
    id: newId("resp"),
    object: "response",
    created_at: 0,
    status: "in_progress",
    model,
  };
  event("response.created", { response: { ...base, output: [] } });
  if ("hang" in reply) return;
  if ("cut" in reply) {
    event("response.output_text.delta", { output_index: 0, content_index: 0, delta: "partial " });
    breakOff(response);
    return;
  }
  const item = "say" in reply ? message(reply.say) : toolCall(reply, tools);
  event("response.output_item.added", {
    output_index: 0,
    item: { ...item, status: "in_progress" },
  });
  event("response.output_item.done", { output_index: 0, item });
  const usage = {
    input_tokens: COST.input,
    input_tokens_details: { cached_tokens: COST.cached },
    output_tokens: COST.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: COST.input + COST.output,
  };
  event("response.completed", {
    response: { ...base, status: "completed", output: [item], usage },
  });
  response.end();
}

const message = (text: string): object => ({
  type: "message",
  id: newId("msg"),
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

function toolCall(
  reply: Extract<Reply, { run: string } | { write: object }>,
  tools: readonly Tool[],
): object {
  const named = (name: string): Tool | undefined => tools.find((tool) => tool.name === name);
  const custom = (name: string, input: string): object => ({
    type: "custom_tool_call",
    id: newId("ctc"),
    call_id: newId("call"),
    name,
    input,
    status: "completed",
  });
  const call = (name: string, args: object): object => ({
    type: "function_call",
    id: newId("fc"),
    call_id: newId("call"),
    name,
    arguments: JSON.stringify(args),
    status: "completed",
  });
  const codeMode = named("exec")?.type === "custom";
  if ("write" in reply) {
    const patch = patchFor(reply.write.path, reply.write.content);
    if (named("apply_patch")?.type === "custom") return custom("apply_patch", patch);
    if (codeMode) return custom("exec", `text(await tools.apply_patch(${JSON.stringify(patch)}));`);
  }
  const command = "run" in reply ? reply.run : writeCommand(reply.write);
  if (codeMode)
    return custom("exec", `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }));`);
  if (named("exec_command")) return call("exec_command", { cmd: command, yield_time_ms: 30_000 });
  if (named("shell_command")) return call("shell_command", { command, timeout_ms: 300_000 });
  return call("shell", { command: ["bash", "-lc", command], timeout_ms: 300_000 });
}

function patchFor(path: string, content: string): string {
  const lines = content
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `+${line}`);
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines, "*** End Patch", ""].join("\n");
}

export const writeCommand = ({ path, content }: { path: string; content: string }): string =>
  `printf %s '${content.replaceAll("'", "'\\''")}' > '${path}'`;

const REFUSALS: Readonly<Record<Refusal, readonly [code: string, message: string]>> = {
  rate_limit: ["rate_limit_exceeded", "Rate limit reached. Please try again in 1.5s."],
  quota: [
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details.",
  ],
  login: ["invalid_api_key", "Incorrect API key provided."],
  server: ["server_error", "The server had an error while processing your request."],
  bad_request: ["unsupported_parameter", "Unsupported parameter."],
};

function refuse(
  response: ServerResponse,
  refusal: Refusal,
  retryAfterSec: number | undefined,
): void {
  const [code, text] = REFUSALS[refusal];
  const headers =
    retryAfterSec === undefined ? undefined : { "retry-after": String(retryAfterSec) };
  sendJson(
    response,
    STATUS[refusal],
    { error: { message: text, type: code, param: null, code } },
    headers,
  );
}
