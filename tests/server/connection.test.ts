import { silentLogger } from "@multiverse/agents/log";
import { createMask, secretsOf } from "@multiverse/agents/secrets";
import { systemClock } from "@multiverse/agents/system-clock";
import { ConnectionTest } from "@multiverse/protocol/http/responses";
import { createPlanner, createProbe } from "@multiverse/server/planner";
import { afterEach, expect, test } from "vitest";
import {
  openAiError,
  startScriptedOpenAi,
  type Script,
  type ScriptedOpenAi,
} from "../harness/scripted-openai.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
let model: ScriptedOpenAi | undefined;
afterEach(async () => {
  await server.stop();
  await model?.close();
  model = undefined;
});

/** A server whose meta-agent is the real one, pointed at a model that follows the script. */
async function start(script: Script, env: Record<string, string>): Promise<void> {
  model = await startScriptedOpenAi(script);
  const cooldowns = `${process.env["TMPDIR"] ?? "/tmp"}/multiverse-cooldown-${process.pid}`;
  const mask = createMask(secretsOf(env));
  const options = { env, clock: systemClock, mask, log: silentLogger, cooldowns };
  server = await startTestServer({
    ask: createProbe(options),
    planPatch: createPlanner(options),
    env,
  });
  const llm = { kind: "openai-chat", model: "m-1", baseUrl: model.baseUrl };
  await server.api("/settings/llm", { method: "PUT", body: JSON.stringify(llm) });
}

const tested = async (): Promise<unknown> =>
  ConnectionTest.parse(await (await server.post("/settings/llm/test")).json());

const criteria = JSON.stringify({
  type: "plan_task",
  version: 1,
  payload: { task_id: "connection-test", acceptance_criteria: [{ description: "it works" }] },
});

test("the connection test asks the model that was set, with the key, and says how long it took", async () => {
  await start([{ text: criteria }], { OPENAI_API_KEY: "sk-test-connection" });
  expect(await tested()).toMatchObject({ ok: true, message: expect.stringContaining("m-1") });
  expect(model?.requests[0]).toMatchObject({
    headers: { authorization: "Bearer sk-test-connection" },
    body: { model: "m-1" },
  });
});

test("a key that is refused is said so, without the key", async () => {
  const body = openAiError("invalid_api_key", "Incorrect API key provided: sk-test-refused");
  await start(() => ({ status: 401, body }), { OPENAI_API_KEY: "sk-test-refused" });
  const answer = await tested();
  expect(answer).toMatchObject({ ok: false, hint: expect.stringMatching(/\S/) });
  expect(JSON.stringify(answer)).not.toContain("sk-test-refused");
  const { ws, post, open } = server;
  await post(`${ws}/chat/s/messages`, { text: "a page please" });
  const said = (): number => open.workspace.state.sessions.get("s")?.messageCount ?? 0;
  await expect.poll(said).toBeGreaterThan(1);
  expect(server.stateText()).not.toContain("sk-test-refused");
});

test("a model that the server does not have is said so", async () => {
  const body = openAiError("model_not_found", "The model `m-1` does not exist");
  await start(() => ({ status: 404, body }), { OPENAI_API_KEY: "sk-test" });
  expect(await tested()).toMatchObject({ ok: false, message: expect.stringContaining("m-1") });
});

test("a sentence in the chat becomes a plan of that model's making", async () => {
  const patch = {
    type: "plan_patch",
    version: 1,
    payload: {
      understanding: "a page",
      operations: [{ op: "create", temp_id: "a", title: "Make the page" }],
    },
  };
  await start(() => ({ text: `Here you are:\n\`\`\`json\n${JSON.stringify(patch)}\n\`\`\`` }), {
    OPENAI_API_KEY: "sk-test",
  });
  const { ws, api, post } = server;
  await post(`${ws}/chat/s/messages`, { text: "a page please" });
  const titles = async (): Promise<string[]> =>
    ((await (await api(`${ws}/tasks`)).json()) as { tasks: { title: string }[] }).tasks.map(
      ({ title }) => title,
    );
  await expect.poll(titles).toEqual(["Make the page"]);
});
