import { describe, expect, test } from "vitest";
import { openAiError } from "../../../../tests/harness/scripted-openai.ts";
import { planRequest, situation } from "../testing/requests.ts";
import {
  KEY,
  bodyOf,
  good,
  metaAgent,
  never,
  read,
  task,
} from "../../../../tests/harness/scripted-meta-agent.ts";

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
