import { z } from "zod";
import type { CliFailure, CliStreamParser, WorkerStreamEvent } from "./agent-cli.ts";
import { failureOf, type FailureSigns } from "./failure.ts";
import { jsonLine } from "./json-line.ts";
import { addFile, emptyRecord, keepStderr, outcomeOf, type StreamRecord } from "./stream-record.ts";

const SIGNS: FailureSigns = {
  rateLimit:
    /\b429\b|resource_exhausted|exceeded your current quota|exhausted your (?:daily )?quota|rate.?limit/i,
  login:
    /"code":\s*40[13]\b|unauthenticated|permission_denied|api keys? (?:is|are)? ?not valid|api_key_invalid|auth method|set an auth/i,
};

/** The process's exit code when no event says more: an HTTP status modulo 256, or one of the CLI's own. */
const STATUS_OF_EXIT: Readonly<Record<number, number>> = {
  173: 429,
  145: 401,
  147: 403,
  41: 401,
  17: 529,
};

const ToolUse = z.object({
  type: z.literal("tool_use"),
  tool_name: z.string(),
  tool_id: z.string(),
  parameters: z
    .object({ command: z.string().optional(), file_path: z.string().optional() })
    .catch({}),
});
const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("init"), session_id: z.string() }),
  z.object({
    type: z.literal("message"),
    role: z.string(),
    content: z.string(),
    delta: z.boolean().optional(),
  }),
  ToolUse,
  z.object({
    type: z.literal("tool_result"),
    tool_id: z.string(),
    status: z.string(),
    error: z.object({ type: z.string().default(""), message: z.string().default("") }).optional(),
  }),
  z.object({ type: z.literal("error"), message: z.string() }),
  z.object({
    type: z.literal("result"),
    status: z.string(),
    error: z.object({ message: z.string() }).optional(),
    stats: z
      .object({
        input_tokens: z.int().nonnegative().default(0),
        output_tokens: z.int().nonnegative().default(0),
      })
      .optional(),
  }),
]);
type Event = z.output<typeof Event>;

const MAX_MESSAGE = 65_536;

/** One run's reading: a message comes in pieces, and is passed on whole when something else follows it. */
interface Reading {
  readonly record: StreamRecord;
  readonly calls: Map<string, z.output<typeof ToolUse>>;
  pieces: string;
  waiting: CliFailure | null;
}

/** How the CLI announces that it will try again, for up to ten times with minutes in between: some models ignore the setting. */
const WILL_RETRY = /^Attempt \d+ failed(?: with status (\d{3}))?/;

export function geminiParser(now: () => Date = () => new Date()): CliStreamParser {
  const reading: Reading = { record: emptyRecord(), calls: new Map(), pieces: "", waiting: null };
  return {
    feed(line) {
      if (line.stream === "stderr") {
        keepStderr(reading.record, line);
        return readStderr(reading, line.line, now);
      }
      const event = Event.safeParse(jsonLine(line.line));
      return event.success ? read(reading, event.data, now) : [];
    },
    waitingFor: () => reading.waiting,
    end(exitCode) {
      const { record } = reading;
      endMessage(reading);
      const status = exitCode === null ? undefined : STATUS_OF_EXIT[exitCode];
      if (status !== undefined && (record.failure === null || record.failure.kind === "other")) {
        const message = record.failure?.message ?? record.stderrTail.trim();
        record.failure = failureOf(SIGNS, { status, message }, now());
      }
      return outcomeOf(record, exitCode, SIGNS, now());
    },
  };
}

function readStderr(reading: Reading, line: string, now: () => Date): WorkerStreamEvent[] {
  const attempt = WILL_RETRY.exec(line);
  if (attempt === null) return [];
  const status = attempt[1] === undefined ? null : Number(attempt[1]);
  const failure = failureOf(SIGNS, { status, message: line }, now());
  if (failure.kind === "rate_limited") reading.waiting ??= failure;
  return [{ kind: "error", text: line }];
}

function read(reading: Reading, event: Event, now: () => Date): WorkerStreamEvent[] {
  const { record, calls } = reading;
  if (event.type === "message") return readMessage(reading, event.role, event.content, event.delta);
  const before = endMessage(reading);
  switch (event.type) {
    case "init":
      record.sessionId = event.session_id;
      return before;
    case "tool_use": {
      calls.set(event.tool_id, event);
      const { command } = event.parameters;
      return command === undefined ? before : [...before, { kind: "command", text: command }];
    }
    case "tool_result":
      return [...before, ...readToolResult(reading, event.tool_id, event.status, event.error)];
    case "error":
      return [...before, { kind: "error", text: event.message }];
    case "result":
      return [...before, ...readResult(record, event, now)];
  }
}

function readMessage(
  reading: Reading,
  role: string,
  content: string,
  delta: boolean | undefined,
): WorkerStreamEvent[] {
  if (role !== "assistant") return [];
  const before = delta === true ? [] : endMessage(reading);
  reading.pieces = `${reading.pieces}${content}`.slice(0, MAX_MESSAGE);
  return before;
}

function endMessage(reading: Reading): WorkerStreamEvent[] {
  if (reading.pieces === "") return [];
  const text = reading.pieces;
  reading.record.lastMessage = text;
  reading.pieces = "";
  return [{ kind: "message", text }];
}

const GUARDED = new Set(["run_shell_command", "write_file", "replace", "edit"]);

function readToolResult(
  { record, calls }: Reading,
  id: string,
  status: string,
  error: { type: string; message: string } | undefined,
): WorkerStreamEvent[] {
  const call = calls.get(id);
  calls.delete(id);
  if (call === undefined) return [];
  if (status !== "success") {
    // Without permission the CLI does not offer these tools at all, and then calls them unknown.
    if (error?.type === "tool_not_registered" && GUARDED.has(call.tool_name))
      record.denied.push(call.tool_name);
    return [{ kind: "error", text: error?.message ?? `${call.tool_name} failed` }];
  }
  const path = call.parameters.file_path;
  if (path === undefined || !GUARDED.has(call.tool_name)) return [];
  addFile(record, path);
  return [{ kind: "file_change", text: `${call.tool_name} ${path}`, path }];
}

function readResult(
  record: StreamRecord,
  event: Extract<Event, { type: "result" }>,
  now: () => Date,
): WorkerStreamEvent[] {
  record.terminal = event.status === "success" ? "succeeded" : "failed";
  if (event.stats) {
    const { input_tokens: inputTokens, output_tokens: outputTokens } = event.stats;
    record.usage = { inputTokens, outputTokens, usd: null };
  }
  if (record.terminal === "succeeded") return [];
  const message = event.error?.message ?? `ended with status ${event.status}`;
  record.failure = failureOf(SIGNS, { message }, now());
  return [{ kind: "error", text: message }];
}
