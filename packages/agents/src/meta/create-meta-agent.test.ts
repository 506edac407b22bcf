import type { RunEventOf } from "@multiverse/protocol/run-event";
import { afterEach, describe, expect, test } from "vitest";
import {
  openAiError,
  startScriptedOpenAi,
  type Script,
  type ScriptedOpenAi,
} from "../../../../tests/harness/scripted-openai.ts";
import { createLogger } from "../log.ts";
import { createMask } from "../secrets.ts";
import { systemClock } from "../system-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { planRequest, planTaskRequest, situation } from "../testing/requests.ts";
import type { MetaRecording } from "./ask-options.ts";
import { createMetaAgent, type MetaAgentOptions } from "./create-meta-agent.ts";
import { failedCallOf } from "./failed-call.ts";

const KEY = "sk-test-key-0123456789";
const never = new AbortController().signal;
const payload = { acceptance_criteria: [{ description: "it works" }] };
const good = { text: JSON.stringify({ type: "plan_task", version: 1, payload }) };
const read = [{ description: "it works", critical: true }];
const task = planTaskRequest("a task");

let server: ScriptedOpenAi | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function metaAgent(script: Script, options: Partial<MetaAgentOptions> = {}) {
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
const bodyOf = (request: { body: unknown } | undefined) =>
  request?.body as {
    model: string;
    messages: { role: string; content: string }[];
    response_format?: { type: string; json_schema?: { strict: boolean } };
    reasoning_effort?: string;
    temperature?: number;
  };

test("a call carries the request as data, asks for the schema, and gives the answer with its record", async () => {
  const { agent, events, recorded, requests } = await metaAgent([good], { temperature: 0.2 });
  const { answer, call } = await agent.planTask(task, never);
  expect(answer.acceptanceCriteria).toEqual(read);
  const body = bodyOf(requests[0]);
  expect(body).toMatchObject({ model: "gpt-5.2", reasoning_effort: "medium", temperature: 0.2 });
  expect(body.response_format).toMatchObject({
    type: "json_schema",
    json_schema: { strict: true },
  });
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  const sent: unknown = JSON.parse(body.messages[1]?.content.split("\n")[0] ?? "");
  expect(sent).toMatchObject({
    type: "plan_task",
    version: 1,
    payload: { task: { wbs_level: 3 }, suggested_impl: null },
  });
  expect(call).toMatchObject({
    type: "plan_task",
    provider: "openai-chat",
    model: "gpt-5.2",
    request: { task: { id: "T-1" } },
    response: { acceptance_criteria: read },
    usage: { inputTokens: 1, outputTokens: 1, usd: null },
  });
  expect(events.map(({ phase }) => phase)).toEqual(["started", "completed"]);
  expect(recorded).toMatchObject([{ raw: [good.text], problem: null }]);
});

test("a system prompt of one's own replaces ours, and the form of the answer is still asked for", async () => {
  const { agent, requests } = await metaAgent([good], { systemPrompt: "Be brief." });
  await agent.planTask(task, never);
  const { messages } = bodyOf(requests[0]);
  expect(messages[0]).toEqual({ role: "system", content: "Be brief." });
  expect(messages[1]?.content).toContain('"acceptance_criteria"');
});

test("after a failed loop the model is asked to think harder", async () => {
  const text = JSON.stringify({ payload: { decision: { action: "mark_complete" } } });
  const { agent, requests } = await metaAgent([{ text }, { text }]);
  await agent.nextAction(situation("a"), never);
  const failed = { summary: "", failed: [{ id: "AC-1", comment: "no" }], remainingRisks: [] };
  await agent.nextAction(situation("a", { workerRunsCount: 1, lastAssessment: failed }), never);
  expect(requests.map((request) => bodyOf(request).reasoning_effort)).toEqual(["medium", "high"]);
});

describe("answers", () => {
  test.each([
    ["prose around JSON", `Sure! ${good.text} Anything else?`],
    [
      "YAML",
      "type: plan_task\nversion: 1\npayload:\n  acceptance_criteria:\n    - description: it works\n",
    ],
    ["a fenced block", `\`\`\`json\n${good.text}\n\`\`\``],
  ])("%s is read", async (_, text) => {
    const { agent } = await metaAgent([{ text }]);
    expect((await agent.planTask(task, never)).answer.acceptanceCriteria).toEqual(read);
  });

  test("an unusable answer is asked for again with the reason quoted, and the usage of both counts", async () => {
    const bad = JSON.stringify({ type: "plan_task", payload: { acceptance_criteria: [] } });
    const { agent, requests, events } = await metaAgent([{ text: bad }, good]);
    const { answer, call } = await agent.planTask(task, never);
    expect(answer.acceptanceCriteria).toEqual(read);
    expect(call.usage).toEqual({ inputTokens: 2, outputTokens: 2, usd: null });
    const { messages } = bodyOf(requests[1]);
    expect(messages[2]).toEqual({ role: "assistant", content: bad });
    expect(messages[3]?.content).toContain("acceptance_criteria: Too small");
    expect(events.map(({ phase }) => phase)).toEqual(["started", "retry", "completed"]);
  });

  test("criteria with the same id twice are asked for again", async () => {
    const twice = {
      acceptance_criteria: [
        { id: "AC-1", description: "a" },
        { id: "ac-1", description: "b" },
      ],
    };
    const { agent, requests } = await metaAgent([{ text: JSON.stringify(twice) }, good]);
    await agent.planTask(task, never);
    expect(bodyOf(requests[1]).messages[3]?.content).toContain("id of its own");
  });

  test("garbage three times is META_BAD_ANSWER, and every text is in the recording", async () => {
    const { agent, recorded, requests } = await metaAgent([
      { text: "one" },
      { text: "two" },
      { text: "three" },
    ]);
    await expect(agent.planTask(task, never)).rejects.toMatchObject({
      code: "META_BAD_ANSWER",
      hint: expect.stringContaining("model") as string,
    });
    expect(requests).toHaveLength(3);
    expect(recorded).toMatchObject([
      { raw: ["one", "two", "three"], response: { error: expect.any(String) } },
    ]);
    expect(recorded[0]?.problem).toContain("not valid JSON");
  });

  test("10 MB are refused while they come in, and asked for again", async () => {
    const { agent, requests } = await metaAgent([{ text: "x".repeat(10 * 1_048_576) }, good]);
    expect((await agent.planTask(task, never)).answer.acceptanceCriteria).toEqual(read);
    expect(bodyOf(requests[1]).messages[3]?.content).toContain("larger than 4 MiB");
  });

  test("a refusal of the model is told as such", async () => {
    const body = JSON.stringify({
      choices: [{ message: { content: null, refusal: "I will not." } }],
    });
    const { agent } = await metaAgent([{ body }, { body }, { body }]);
    await expect(agent.planTask(task, never)).rejects.toThrow("I will not.");
  });

  test("a plan_patch with nulls for everything that is not given is read", async () => {
    const nulls = {
      temp_id: null,
      description: null,
      parent_id: null,
      test: null,
      position: { index: null, before: null, after: null },
    };
    const text = JSON.stringify({
      type: "plan_patch",
      version: 1,
      payload: {
        understanding: "ok",
        operations: [{ op: "create", title: "A", ...nulls }],
        questions: null,
      },
    });
    const { agent } = await metaAgent([{ text }]);
    expect((await agent.planPatch(planRequest("make A"), never)).answer).toEqual({
      understanding: "ok",
      operations: [{ op: "create", title: "A" }],
      potentialConflicts: [],
      questions: [],
    });
  });
});

describe("failures on the way", () => {
  const busy = { status: 500, body: openAiError("server_error", "oops") };

  test("500, 500, 200: tried again after one and two seconds", async () => {
    const { agent, clock, events } = await metaAgent([busy, busy, good]);
    expect((await agent.planTask(task, never)).answer.acceptanceCriteria).toEqual(read);
    expect(clock.slept).toEqual([1_000, 2_000]);
    expect(events.map(({ phase }) => phase)).toEqual(["started", "retry", "retry", "completed"]);
    expect(events[1]?.message).toContain("oops");
  });

  test("500 for ever is META_UNAVAILABLE after three more tries", async () => {
    const { agent, clock, requests } = await metaAgent(() => busy, { random: () => 1 });
    await expect(agent.planTask(task, never)).rejects.toMatchObject({ code: "META_UNAVAILABLE" });
    expect(requests).toHaveLength(4);
    expect(clock.slept).toEqual([1_200, 2_400, 4_800]);
  });

  test("a server in trouble that says when it is back is waited for, up to a minute", async () => {
    const back = (seconds: string) => ({ ...busy, headers: { "retry-after": seconds } });
    const { agent, clock } = await metaAgent([back("7"), back("3600"), good]);
    await agent.planTask(task, never);
    expect(clock.slept).toEqual([7_000, 2_000]);
  });

  test("a call that failed leaves its record: what was asked, what it cost, and why", async () => {
    const { agent, recorded } = await metaAgent(() => ({ text: "no" }));
    const error: unknown = await agent.planTask(task, never).catch((thrown: unknown) => thrown);
    expect(failedCallOf(error)).toMatchObject({
      type: "plan_task",
      request: { task: { id: "T-1" } },
      response: { error: expect.stringContaining("not valid JSON") as string },
      usage: { inputTokens: 3, outputTokens: 3 },
    });
    await server?.close();
    const down: unknown = await agent.planTask(task, never).catch((thrown: unknown) => thrown);
    expect(failedCallOf(down)).toMatchObject({ type: "plan_task", usage: { inputTokens: 0 } });
    expect(recorded).toHaveLength(2);
  });

  test("429 waits as long as Retry-After says", async () => {
    const { agent, clock } = await metaAgent([
      { status: 429, headers: { "retry-after": "7" } },
      good,
    ]);
    await agent.planTask(task, never);
    expect(clock.slept).toEqual([7_000]);
  });

  test("429 for longer than a minute is not waited for: RATE_LIMITED with the time", async () => {
    const limit = {
      status: 429,
      headers: { "retry-after": "3600" },
      body: openAiError("rate_limit", "slow down"),
    };
    const { agent, clock, requests } = await metaAgent(() => limit);
    await expect(agent.planTask(task, never)).rejects.toMatchObject({
      code: "RATE_LIMITED",
      retryAt: "2026-01-01T01:00:00.000Z",
      hint: expect.stringContaining("2026-01-01T01:00") as string,
    });
    expect(requests).toHaveLength(1);
    expect(clock.slept).toEqual([]);
  });

  test("429 again and again is waited for a minute in all", async () => {
    const { agent, clock } = await metaAgent(() => ({
      status: 429,
      headers: { "retry-after": "25" },
    }));
    await expect(agent.planTask(task, never)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    expect(clock.slept).toEqual([25_000, 25_000]);
  });

  test("429 is not waited for while somebody else can be asked", async () => {
    const { agent, clock } = await metaAgent(
      () => ({ status: 429, headers: { "retry-after": "1" } }),
      {
        waitsOutRateLimit: () => false,
      },
    );
    await expect(agent.planTask(task, never)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    expect(clock.slept).toEqual([]);
  });

  test.each(["nonsense", "-5", ""])("a Retry-After of %j is not believed", async (header) => {
    const { agent, clock } = await metaAgent([
      { status: 429, headers: { "retry-after": header } },
      good,
    ]);
    await agent.planTask(task, never);
    expect(clock.slept).toEqual([1_000]);
  });

  test.each([
    [401, "META_KEY_MISSING", "OPENAI_API_KEY"],
    [403, "META_KEY_MISSING", "access"],
    [404, "META_UNAVAILABLE", "model"],
    [400, "META_UNAVAILABLE", "settings"],
    [418, "META_UNAVAILABLE", "settings"],
  ])("%i is an error at once, with a hint", async (status, code, hint) => {
    const { agent, requests } = await metaAgent(() => ({
      status,
      body: openAiError("bad", `no: ${KEY}`),
    }));
    const error = await agent.planTask(task, never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, hint: expect.stringContaining(hint) as string });
    expect(String(error)).not.toContain(KEY);
    expect(requests).toHaveLength(1);
  });

  test("an empty account is not asked again", async () => {
    const { agent, requests } = await metaAgent(() => ({
      status: 429,
      body: openAiError("insufficient_quota", "pay"),
    }));
    await expect(agent.planTask(task, never)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    expect(requests).toHaveLength(1);
  });

  test("an answer that never comes is META_TIMEOUT after four tries", async () => {
    const { agent, requests } = await metaAgent(() => ({ hang: true }), { timeoutSec: 0.1 });
    await expect(agent.planTask(task, never)).rejects.toMatchObject({
      code: "META_TIMEOUT",
      hint: expect.stringContaining("META_TIMEOUT_SEC") as string,
    });
    expect(requests).toHaveLength(4);
  });

  test("a body that is cut short is tried again", async () => {
    const { agent } = await metaAgent([
      { ...good, cutAfterBytes: 40 },
      { body: '{"choices": [{"mess' },
      good,
    ]);
    expect((await agent.planTask(task, never)).answer.acceptanceCriteria).toEqual(read);
  });

  test("a server that is not there is META_UNAVAILABLE with the address", async () => {
    const { agent } = await metaAgent([], { baseUrl: "http://127.0.0.1:9/v1" });
    await expect(agent.planTask(task, never)).rejects.toMatchObject({
      code: "META_UNAVAILABLE",
      message: expect.stringContaining("127.0.0.1:9") as string,
    });
  });

  test("a cancel reaches a call that hangs, and one that waits to try again", async () => {
    const stop = new AbortController();
    const { agent, requests } = await metaAgent(() => ({ hang: true }), { clock: systemClock });
    const hanging = agent.planTask(task, stop.signal);
    await expect.poll(() => requests.length).toBe(1);
    stop.abort();
    await expect(hanging).rejects.toMatchObject({ code: "CANCELED" });
    await server?.close();

    const stopAgain = new AbortController();
    const second = await metaAgent(() => busy, { clock: systemClock });
    const waiting = second.agent.planTask(task, stopAgain.signal);
    await expect.poll(() => second.events.some(({ phase }) => phase === "retry")).toBe(true);
    stopAgain.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CANCELED" });
    expect(second.requests).toHaveLength(1);
  });
});

describe("what a server does not offer is given up", () => {
  const refuse = (param: string) => ({
    status: 400,
    body: JSON.stringify({
      error: { message: `Unsupported parameter: ${param}`, param, code: "unsupported" },
    }),
  });

  test("step by step, and remembered for the next call", async () => {
    const script = [
      refuse("response_format"),
      refuse("reasoning_effort"),
      refuse("temperature"),
      refuse("response_format"),
      good,
      good,
    ];
    const { agent, requests } = await metaAgent(script, { temperature: 1 });
    await agent.planTask(task, never);
    await agent.planTask(task, never);
    const formats = requests.map((request) => bodyOf(request).response_format?.type);
    expect(formats).toEqual([
      "json_schema",
      "json_object",
      "json_object",
      "json_object",
      undefined,
      undefined,
    ]);
    expect(bodyOf(requests[5])).not.toHaveProperty("reasoning_effort");
    expect(bodyOf(requests[5])).not.toHaveProperty("temperature");
  });
});

test("neither log, events nor recording hold the key, whatever the server says", async () => {
  const { agent, logged, events, recorded } = await metaAgent([
    { status: 500, body: openAiError("x", `key ${KEY}`) },
    { text: KEY },
    good,
  ]);
  await agent.planTask({ ...task, prd: `the key is ${KEY}` }, never);
  expect(logged.length).toBeGreaterThan(5);
  expect(JSON.stringify([logged, events, recorded])).not.toContain(KEY);
});
