import { afterEach, expect, test } from "vitest";
import {
  openAiError,
  startScriptedOpenAi,
  type Script,
  type ScriptedOpenAi,
} from "./scripted-openai.ts";

let model: ScriptedOpenAi | undefined;

afterEach(async () => {
  await model?.close();
  model = undefined;
});

async function start(script: Script): Promise<ScriptedOpenAi> {
  return (model = await startScriptedOpenAi(script));
}

function ask({ baseUrl }: ScriptedOpenAi, prompt: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer key" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: prompt }] }),
    signal: signal ?? null,
  });
}

async function said(response: Response): Promise<string | undefined> {
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content;
}

test("a list is answered in order, and its end is an error that says so", async () => {
  const server = await start([{ text: "一" }, { text: "two" }]);
  expect(await said(await ask(server, "a"))).toBe("一");
  expect(await said(await ask(server, "b"))).toBe("two");
  const after = await ask(server, "c");
  expect(after.status).toBe(500);
  expect(await after.text()).toContain("the script has 2 answers and this is request 3");
});

test("a function sees each request and its number", async () => {
  const server = await start((request, index) => ({
    text: `${index}: ${JSON.stringify(request.body)}`,
  }));
  await ask(server, "first");
  expect(await said(await ask(server, "second"))).toMatch(/^1: .*second/);
});

test("requests are recorded with path, headers and body", async () => {
  const server = await start([{}]);
  await ask(server, "remember me");
  expect(server.requests).toEqual([
    {
      method: "POST",
      path: "/v1/chat/completions",
      headers: expect.objectContaining({ authorization: "Bearer key" }),
      body: { model: "m", messages: [{ role: "user", content: "remember me" }] },
    },
  ]);
});

test("status, headers and a raw body are passed on", async () => {
  const body = openAiError("rate_limit_exceeded", "slow down");
  const server = await start([{ status: 429, headers: { "retry-after": "1" }, body }]);
  const response = await ask(server, "x");
  expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
    429,
    "1",
    body,
  ]);
});

test("a delayed answer comes late", async () => {
  const server = await start([{ text: "late", delayMs: 100 }]);
  const started = performance.now();
  expect(await said(await ask(server, "x"))).toBe("late");
  expect(performance.now() - started).toBeGreaterThanOrEqual(95);
});

test("a hanging answer never comes, and closing the server does not wait for it", async () => {
  const server = await start([{ hang: true }]);
  const patience = new AbortController();
  const answer = ask(server, "x", patience.signal);
  await expect.poll(() => server.requests.length, { timeout: 15_000 }).toBe(1);
  patience.abort(new Error("nobody waits any longer"));
  await expect(answer).rejects.toThrow("nobody waits any longer");
});

test("a cut answer breaks off in the middle of its body", async () => {
  const server = await start([{ text: "never whole", cutAfterBytes: 10 }]);
  const response = await ask(server, "x");
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

test("another path is not found", async () => {
  const server = await start([{}]);
  expect((await fetch(`${server.baseUrl}/embeddings`)).status).toBe(404);
});
