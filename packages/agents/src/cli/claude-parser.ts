import { z } from "zod";
import type { CliStreamParser, WorkerStreamEvent } from "./agent-cli.ts";
import { failureOf, type FailureSigns } from "./failure.ts";
import { jsonLine } from "./json-line.ts";
import { addFile, emptyRecord, keepStderr, outcomeOf, type StreamRecord } from "./stream-record.ts";

const SIGNS: FailureSigns = {
  rateLimit: /\b429\b|rate.?limit|usage limit reached|credit balance is too low|overloaded/i,
  login:
    /not logged in|please run \/login|invalid api key|authentication_(?:error|failed)|oauth token/i,
};

const Count = z.int().nonnegative().default(0);

const ToolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.object({ command: z.string().optional(), file_path: z.string().optional() }),
});
const Content = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  ToolUse,
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    is_error: z.boolean().nullish(),
    content: z.unknown(),
  }),
  z.object({ type: z.string() }).transform(() => null),
]);

const Event = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("system"),
    subtype: z.string(),
    session_id: z.string().optional(),
    error_status: z.int().nullish(),
    error: z.string().nullish(),
  }),
  z.object({
    type: z.literal("assistant"),
    message: z.object({ content: z.array(Content) }),
    is_api_error_message: z.boolean().optional(),
  }),
  z.object({ type: z.literal("user"), message: z.object({ content: z.array(Content).catch([]) }) }),
  z.object({
    type: z.literal("result"),
    subtype: z.string().default(""),
    is_error: z.boolean(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional(),
    session_id: z.string().optional(),
    total_cost_usd: z.number().nonnegative().optional(),
    usage: z
      .object({
        input_tokens: Count,
        cache_creation_input_tokens: Count,
        cache_read_input_tokens: Count,
        output_tokens: Count,
      })
      .optional(),
    permission_denials: z.array(z.object({ tool_name: z.string().default("a tool") })).default([]),
    api_error_status: z.int().nullish(),
    structured_output: z.unknown().optional(),
  }),
]);
type Result = Extract<z.output<typeof Event>, { type: "result" }>;

/** Calls of tools that are still out: their result names only the id. */
type Calls = Map<string, z.output<typeof ToolUse>>;

export function claudeParser(now: () => Date = () => new Date()): CliStreamParser {
  const record = emptyRecord();
  const calls: Calls = new Map();
  return {
    feed(line) {
      if (line.stream === "stderr") {
        keepStderr(record, line);
        return [];
      }
      const event = Event.safeParse(jsonLine(line.line));
      return event.success ? read(record, calls, event.data, now) : [];
    },
    end: (exitCode) => outcomeOf(record, exitCode, SIGNS, now()),
  };
}

function read(
  record: StreamRecord,
  calls: Calls,
  event: z.output<typeof Event>,
  now: () => Date,
): WorkerStreamEvent[] {
  switch (event.type) {
    case "system":
      if (event.session_id !== undefined) record.sessionId = event.session_id;
      if (event.subtype !== "api_retry") return [];
      return [
        {
          kind: "error",
          text: `retrying: ${event.error ?? "API error"} ${event.error_status ?? ""}`.trim(),
        },
      ];
    case "assistant":
      return event.message.content.flatMap((block) =>
        readBlock(record, calls, block, event.is_api_error_message === true ? "error" : "message"),
      );
    case "user":
      return event.message.content.flatMap((block) => readBlock(record, calls, block, "message"));
    case "result":
      readResult(record, event, now);
      return record.failure === null ? [] : [{ kind: "error", text: record.failure.message }];
  }
}

function readBlock(
  record: StreamRecord,
  calls: Calls,
  block: z.output<typeof Content>,
  textKind: "message" | "error",
): WorkerStreamEvent[] {
  if (block === null) return [];
  switch (block.type) {
    case "text":
      if (textKind === "message") record.lastMessage = block.text;
      return [{ kind: textKind, text: block.text }];
    case "thinking":
      return [{ kind: "reasoning", text: block.thinking }];
    case "tool_use":
      calls.set(block.id, block);
      return block.input.command === undefined
        ? []
        : [{ kind: "command", text: block.input.command, exitCode: null }];
    case "tool_result":
      return readToolResult(
        record,
        calls,
        block.tool_use_id,
        block.is_error === true,
        block.content,
      );
  }
}

const WRITES = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

function readToolResult(
  record: StreamRecord,
  calls: Calls,
  id: string,
  failed: boolean,
  content: unknown,
): WorkerStreamEvent[] {
  const call = calls.get(id);
  calls.delete(id);
  if (call === undefined) return [];
  const { command, file_path: path } = call.input;
  if (command !== undefined) {
    const code = failed ? exitCodeIn(content) : 0;
    return [{ kind: "command", text: command, exitCode: code }];
  }
  if (path === undefined || !WRITES.has(call.name)) return [];
  if (failed) return [{ kind: "error", text: `${call.name} ${path} failed`, path }];
  addFile(record, path);
  return [{ kind: "file_change", text: `${call.name.toLowerCase()} ${path}`, path }];
}

function exitCodeIn(content: unknown): number | null {
  const code =
    typeof content === "string" ? /^Exit code (\d{1,3})\b/.exec(content)?.[1] : undefined;
  return code === undefined ? null : Number(code);
}

/** An API failure comes as `subtype: "success", is_error: true`: only `is_error` is to be believed. */
function readResult(record: StreamRecord, result: Result, now: () => Date): void {
  record.terminal = result.is_error || result.subtype !== "success" ? "failed" : "succeeded";
  record.sessionId = result.session_id ?? record.sessionId;
  record.structured = result.structured_output ?? null;
  if (result.usage) {
    const { usage } = result;
    record.usage = {
      inputTokens:
        usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
      outputTokens: usage.output_tokens,
      usd: result.total_cost_usd ?? null,
    };
  }
  record.denied.push(...result.permission_denials.map((denial) => denial.tool_name));
  if (record.terminal === "succeeded") {
    record.lastMessage = result.result ?? record.lastMessage;
    return;
  }
  const message = result.result ?? result.errors?.join("; ") ?? result.subtype;
  record.failure = failureOf(SIGNS, { status: result.api_error_status, message }, now());
}
