import { z } from "zod";
import type { CliStreamParser, WorkerStreamEvent } from "./agent-cli.ts";
import { failureOf, type FailureSigns } from "./failure.ts";
import { jsonLine } from "./json-line.ts";
import { addFile, emptyRecord, keepStderr, outcomeOf, type StreamRecord } from "./stream-record.ts";

/** On failure the CLI prints no well-formed event: a sentence on stderr and a non-zero exit code are all there is. */
const SIGNS: FailureSigns = {
  rateLimit: /\b429\b|rate.?limit|usage limit|too many requests|resource_exhausted/i,
  login: /\b401\b|not logged in|unauthenticated|unauthorized|invalid api key|cursor-agent login/i,
};

const Tool = z.object({
  args: z.object({ path: z.string().optional(), command: z.string().optional() }).catch({}),
  result: z
    .object({
      success: z.object({ exitCode: z.int().optional(), path: z.string().optional() }).optional(),
      rejected: z.unknown().optional(),
    })
    .optional(),
});
const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("system"), session_id: z.string().optional() }),
  z.object({
    type: z.literal("assistant"),
    message: z.object({ content: z.array(z.object({ text: z.string().default("") })) }),
  }),
  z.object({
    type: z.literal("tool_call"),
    subtype: z.string(),
    tool_call: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string().default(""),
    session_id: z.string().optional(),
  }),
]);
type Event = z.output<typeof Event>;

export function cursorParser(now: () => Date = () => new Date()): CliStreamParser {
  const record = emptyRecord();
  return {
    feed(line) {
      if (line.stream === "stderr") {
        keepStderr(record, line);
        return [];
      }
      const event = Event.safeParse(jsonLine(line.line));
      return event.success ? read(record, event.data, now) : [];
    },
    end: (exitCode) => outcomeOf(record, exitCode, SIGNS, now()),
  };
}

function read(record: StreamRecord, event: Event, now: () => Date): WorkerStreamEvent[] {
  switch (event.type) {
    case "system":
      record.sessionId = event.session_id ?? record.sessionId;
      return [];
    case "assistant": {
      const text = event.message.content.map((part) => part.text).join("");
      if (text === "") return [];
      record.lastMessage = text;
      return [{ kind: "message", text }];
    }
    case "tool_call":
      return Object.entries(event.tool_call).flatMap(([name, call]) =>
        readTool(record, event.subtype, name, call),
      );
    case "result":
      record.sessionId = event.session_id ?? record.sessionId;
      record.terminal = event.is_error ? "failed" : "succeeded";
      if (event.is_error) record.failure = failureOf(SIGNS, { message: event.result }, now());
      else record.lastMessage ||= event.result; // which is all the messages of the run in one
      return event.is_error ? [{ kind: "error", text: event.result }] : [];
  }
}

const WRITES = /^(?:write|edit|delete)/;

function readTool(
  record: StreamRecord,
  subtype: string,
  name: string,
  call: unknown,
): WorkerStreamEvent[] {
  const tool = Tool.safeParse(call);
  if (!tool.success) return [];
  const { args, result } = tool.data;
  if (args.command !== undefined) {
    if (subtype === "started") return [{ kind: "command", text: args.command, exitCode: null }];
    if (result?.rejected !== undefined) record.denied.push("shell");
    return [{ kind: "command", text: args.command, exitCode: result?.success?.exitCode ?? null }];
  }
  if (subtype !== "completed" || args.path === undefined || !WRITES.test(name)) return [];
  if (result?.rejected !== undefined) record.denied.push(name);
  if (result?.success === undefined)
    return [{ kind: "error", text: `${name} ${args.path} failed` }];
  addFile(record, args.path);
  return [{ kind: "file_change", text: `${name} ${args.path}`, path: args.path }];
}
