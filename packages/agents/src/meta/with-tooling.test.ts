import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tooling } from "@multiverse/protocol/tooling";
import { afterEach, expect, test } from "vitest";
import {
  startScriptedOpenAi,
  type Script,
  type ScriptedOpenAi,
} from "../../../../tests/harness/scripted-openai.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { planRequest, planTaskRequest, situation } from "../testing/requests.ts";
import { openCooldownGate } from "../tooling/cooldown.ts";
import { createMetaAgent, type MetaAgentOptions } from "./create-meta-agent.ts";

const never = new AbortController().signal;
const task = planTaskRequest("Paint the fence");
const good = {
  text: JSON.stringify({ payload: { acceptance_criteria: [{ description: "it works" }] } }),
};
const limit = (seconds: string) => ({ status: 429, headers: { "retry-after": seconds } });

let server: ScriptedOpenAi | undefined;
afterEach(() => server?.close());

type Categories = Record<string, { candidates: Record<string, unknown>[]; [key: string]: unknown }>;

async function agent(
  categories: Categories,
  script: Script,
  options: Partial<MetaAgentOptions> & { force?: object } = {},
) {
  server = await startScriptedOpenAi(script);
  const clock = fakeClock();
  const { force = {}, ...rest } = options;
  const tooling = Tooling.parse({ profiles: [{ id: "p", categories }], force });
  const meta = createMetaAgent({
    kind: "mock",
    env: {
      OPENAI_API_KEY: "sk-test-1",
      OPENAI_BASE_URL: server.baseUrl,
      MULTIVERSE_DEMO_DELAY: "0",
    },
    clock,
    random: () => 0,
    tooling,
    gate: openCooldownGate(mkdtempSync(join(tmpdir(), "gate-")), clock),
    ...rest,
  });
  return { meta, clock, requests: server.requests };
}

const openai = (model: string) => ({ tool: "openai-chat", model });
const priority = (...candidates: Record<string, unknown>[]) => ({
  strategy: "priority",
  candidates,
});

test("each call goes to its category, and to meta where there is none", async () => {
  const { meta, requests } = await agent(
    {
      meta: priority(openai("m-meta")),
      plan: priority(openai("m-plan")),
      execution: priority({ tool: "mock" }),
    },
    (_, i) => (i === 0 ? good : { text: JSON.stringify({ understanding: "ok" }) }),
  );
  expect((await meta.planTask(task, never)).call.model).toBe("m-plan");
  expect((await meta.planPatch(planRequest("hello"), never)).call.model).toBe("m-meta");
  expect((await meta.nextAction(situation("Paint the fence"), never)).call.provider).toBe("mock");
  expect(requests).toHaveLength(2);
});

test("a limited candidate is passed over at once, and stays so for the next calls", async () => {
  const { meta, clock, requests } = await agent(
    { plan: priority(openai("m-1"), { tool: "mock" }) },
    () => limit("30"),
  );
  expect((await meta.planTask(task, never)).call.provider).toBe("mock");
  expect((await meta.planTask(task, never)).call.provider).toBe("mock");
  expect(requests).toHaveLength(1);
  expect(clock.slept).toEqual([0, 0]);
});

test("the only candidate is waited for, up to a minute", async () => {
  const { meta, clock } = await agent({ plan: priority(openai("m-1")) }, [limit("5"), good]);
  expect((await meta.planTask(task, never)).call.provider).toBe("openai-chat");
  expect(clock.slept).toEqual([5_000]);
});

test("with nobody left in time the call is RATE_LIMITED with the time to come back", async () => {
  const { meta } = await agent({ plan: priority(openai("m-1")) }, () => limit("600"));
  await expect(meta.planTask(task, never)).rejects.toMatchObject({
    code: "RATE_LIMITED",
    retryAt: "2026-01-01T00:10:00.000Z",
  });
});

test("candidates that are not installed or not logged in are skipped; if all are, the error names them", async () => {
  const claude = { tool: "claude-code", model: "x" };
  const skipped = await agent({ plan: priority(claude, openai("m-1")) }, [good]);
  expect((await skipped.meta.planTask(task, never)).call.model).toBe("m-1");
  await server?.close();
  const none = await agent({ plan: priority(claude) }, []);
  await expect(none.meta.planTask(task, never)).rejects.toMatchObject({
    code: "LOGIN_MISSING",
    message: expect.stringContaining("claude is not installed") as string,
  });
});

test("a model from the command line wins over the candidate's, and a forced tool over both", async () => {
  const chosen = await agent({ plan: priority(openai("m-1")) }, [good], { modelOverride: "m-cli" });
  expect((await chosen.meta.planTask(task, never)).call.model).toBe("m-cli");
  await server?.close();
  const forced = await agent({ plan: priority({ tool: "mock" }) }, [good], {
    modelOverride: "m-cli",
    force: { enabled: true, tool: "openai-chat", model: "m-forced" },
  });
  expect((await forced.meta.planTask(task, never)).call.model).toBe("m-forced");
});

test("an error that is no limit is the call's error, not a reason to ask somebody else", async () => {
  const { meta, requests } = await agent(
    { plan: priority(openai("m-1"), { tool: "mock" }) },
    () => ({ status: 401 }),
  );
  await expect(meta.planTask(task, never)).rejects.toMatchObject({ code: "META_KEY_MISSING" });
  expect(requests).toHaveLength(1);
});
