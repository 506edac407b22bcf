import { z } from "zod";
import type { CliStreamParser, WorkerStreamEvent } from "./agent-cli.ts";
import { failureOf, type FailureSigns } from "./failure.ts";
import { jsonLine } from "./json-line.ts";
import { addFile, emptyRecord, keepStderr, outcomeOf, type StreamRecord } from "./stream-record.ts";

/** Codex tells of its failures in words only: no status, no code. `turn.failed` is the one fatal event. */
const SIGNS: FailureSigns = {
  rateLimit: /\b429\b|too many requests|rate.?limit|usage limit|quota exceeded|insufficient_quota/i,
  login: /\b401\b|\b403 forbidden|unauthorized|not logged in|invalid.api.key|incorrect api key/i,
};

const Item = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agent_message"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string() }),
  z.object({
    type: z.literal("command_execution"),
    command: z.string(),
    exit_code: z.int().nullish(),
    status: z.string().default(""),
  }),
  z.object({
    type: z.literal("file_change"),
    changes: z.array(z.object({ path: z.string(), kind: z.string().default("update") })),
    status: z.string().default(""),
  }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);

const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({ type: z.literal("item.started"), item: Item }),
  z.object({ type: z.literal("item.completed"), item: Item }),
  z.object({ type: z.literal("error"), message: z.string() }),
  z.object({
    type: z.literal("turn.completed"),
    usage: z.object({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() }),
  }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
]);

/** Without a network it waits for one and says so every few seconds, for as long as it is let; nobody else would notice. */
const NO_NETWORK = /waiting for network/i;
const PATIENCE = 3;

export function codexParser(now: () => Date = () => new Date()): CliStreamParser {
  const record = emptyRecord();
  let waits = 0;
  let lastWait = "";
  return {
    feed(line) {
      if (line.stream === "stderr") {
        keepStderr(record, line);
        return [];
      }
      const event = Event.safeParse(jsonLine(line.line));
      if (!event.success) return [];
      const said = event.data.type === "error" ? event.data.message : "";
      waits = NO_NETWORK.test(said) ? waits + 1 : 0;
      if (waits > 0) lastWait = said;
      return read(record, event.data, now);
    },
    waitingFor: () =>
      waits < PATIENCE
        ? null
        : { kind: "other", message: `codex cannot reach its model: ${lastWait}`, retryAt: null },
    end: (exitCode) => outcomeOf(record, exitCode, SIGNS, now()),
  };
}

function read(
  record: StreamRecord,
  event: z.output<typeof Event>,
  now: () => Date,
): WorkerStreamEvent[] {
  switch (event.type) {
    case "thread.started":
      record.sessionId = event.thread_id;
      return [];
    case "item.started":
      return event.item.type === "command_execution"
        ? [{ kind: "command", text: event.item.command, exitCode: null }]
        : [];
    case "item.completed":
      return readItem(record, event.item);
    case "error":
      return [{ kind: "error", text: event.message }];
    case "turn.completed":
      record.terminal = "succeeded";
      record.failure = null;
      record.usage = {
        inputTokens: event.usage.input_tokens,
        outputTokens: event.usage.output_tokens,
        usd: null,
      };
      return [];
    case "turn.failed":
      record.terminal = "failed";
      record.failure = failureOf(SIGNS, { message: event.error.message }, now());
      return [{ kind: "error", text: event.error.message }];
  }
}

function readItem(record: StreamRecord, item: z.output<typeof Item>): WorkerStreamEvent[] {
  switch (item.type) {
    case "agent_message":
      record.lastMessage = item.text;
      return [{ kind: "message", text: item.text }];
    case "reasoning":
      return [{ kind: "reasoning", text: item.text }];
    case "command_execution":
      if (item.status === "declined") record.denied.push("shell");
      return [{ kind: "command", text: item.command, exitCode: item.exit_code ?? null }];
    case "file_change":
      if (item.status === "declined") record.denied.push("apply_patch");
      if (item.status !== "completed") return [{ kind: "error", text: `patch ${item.status}` }];
      return item.changes.map(({ path, kind }) => {
        addFile(record, path);
        return { kind: "file_change", text: `${kind} ${path}`, path };
      });
    case "error":
      return [{ kind: "error", text: item.message }];
  }
}
