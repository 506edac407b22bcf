import type { RunEventOf } from "@multiverse/protocol/run-event";
import { afterEach } from "vitest";
import { startScriptedOpenAi, type Script, type ScriptedOpenAi } from "./scripted-openai.ts";
import { createLogger } from "@multiverse/agents/log";
import type { MetaRecording } from "@multiverse/agents/meta/ask-options";
import { createMetaAgent, type MetaAgentOptions } from "@multiverse/agents/meta/create-meta-agent";
import { createMask } from "@multiverse/agents/secrets";
import { fakeClock } from "@multiverse/agents/testing/fake-clock";
import { planTaskRequest } from "@multiverse/agents/testing/requests";

export const KEY = "sk-test-key-0123456789";
export const never = new AbortController().signal;
const payload = { acceptance_criteria: [{ description: "it works" }] };
export const good = { text: JSON.stringify({ type: "plan_task", version: 1, payload }) };
export const read = [{ description: "it works", critical: true }];
export const task = planTaskRequest("a task");

let server: ScriptedOpenAi | undefined;
export async function closeModel(): Promise<void> {
  await server?.close();
  server = undefined;
}
afterEach(closeModel);

/** The real meta-agent in front of a scripted model, with everything it reports and records. */
export async function metaAgent(script: Script, options: Partial<MetaAgentOptions> = {}) {
  server = await startScriptedOpenAi(script);
  const events: RunEventOf<"meta">[] = [];
  const recorded: MetaRecording[] = [];
  const logged: string[] = [];
  const clock = fakeClock();
  const mask = createMask([KEY]);
  const agent = createMetaAgent({
    kind: "openai-chat",
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.baseUrl },
    clock,
    random: () => 0.5,
    mask,
    log: createLogger({ level: "debug", format: "json", write: (line) => logged.push(line), mask }),
    report: (event) => events.push(event),
    record: (entry) => recorded.push(entry),
    ...options,
  });
  return { agent, events, recorded, logged, clock, requests: server.requests };
}

/** The body of a request as it was sent. */
export const bodyOf = (request: { body: unknown } | undefined) =>
  request?.body as {
    model: string;
    messages: { role: string; content: string }[];
    response_format?: { type: string; json_schema?: { strict: boolean } };
    reasoning_effort?: string;
    temperature?: number;
  };
