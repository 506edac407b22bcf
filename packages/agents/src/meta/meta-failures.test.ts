import { describe, expect, test } from "vitest";
import { openAiError } from "../../../../tests/harness/scripted-openai.ts";
import { systemClock } from "../system-clock.ts";
import {
  closeModel,
  KEY,
  bodyOf,
  good,
  metaAgent,
  never,
  read,
  task,
} from "../../../../tests/harness/scripted-meta-agent.ts";
import { failedCallOf } from "./failed-call.ts";

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
    await closeModel();
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
    await closeModel();

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
