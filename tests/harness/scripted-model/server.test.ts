import { afterAll, beforeAll, expect, test } from "vitest";
import { inOrder, type Reply } from "./script.ts";
import { startScriptedModel, type ScriptedModel } from "./server.ts";

let model: ScriptedModel;
beforeAll(async () => {
  const refuse = (refusal: Extract<Reply, { refuse: unknown }>["refuse"]) => () => ({
    refuse: refusal,
  });
  model = await startScriptedModel(
    {
      work: inOrder(
        { run: "echo hi" },
        { write: { path: "a.txt", content: "x\n" } },
        { say: "All done." },
      ),
      limited: refuse("rate_limit"),
      locked: refuse("login"),
      cut: () => ({ cut: true }),
    },
    "127.0.0.1",
  );
});
afterAll(() => model.close());

const post = (path: string, body: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${model.port}${path}`, { method: "POST", body: JSON.stringify(body) });

const user = {
  openai: { type: "message", role: "user", content: "go" },
  anthropic: { role: "user", content: "go" },
};
const asks: Record<string, (scenario: string, results: number) => Promise<Response>> = {
  openai: (scenario, results) =>
    post(`/${scenario}/v1/responses`, {
      model: "m",
      tools: [{ type: "function", name: "exec_command" }],
      input: [
        user.openai,
        ...Array.from({ length: results }, () => ({ type: "function_call_output" })),
      ],
    }),
  anthropic: (scenario, results) =>
    post(`/${scenario}/v1/messages?beta=true`, {
      model: "m",
      stream: true,
      tools: [{ name: "Bash" }],
      system: "Working directory: /p",
      messages: [
        user.anthropic,
        ...Array.from({ length: results }, () => ({
          role: "user",
          content: [{ type: "tool_result" }],
        })),
      ],
    }),
  gemini: (scenario, results) =>
    post(`/${scenario}/v1beta/models/m:streamGenerateContent?alt=sse`, {
      tools: [{ functionDeclarations: [{ name: "run_shell_command" }, { name: "write_file" }] }],
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        ...Array.from({ length: results }, () => ({
          role: "user",
          parts: [{ functionResponse: {} }],
        })),
      ],
    }),
};
const ask = (protocol: string, scenario: string, results = 0): Promise<Response> => {
  const make = asks[protocol];
  if (make === undefined) throw new Error("no such protocol");
  return make(scenario, results);
};
const protocols = Object.keys(asks);

test.each(protocols)(
  "%s: tools are called in order, then the last word is said",
  async (protocol) => {
    const texts = [];
    for (const results of [0, 1, 2, 3])
      texts.push(await (await ask(protocol, "work", results)).text());
    expect(texts[0]).toContain("echo hi");
    expect(texts[1]).toContain("a.txt");
    expect(texts[2]?.replaceAll(/"\}.*?"text":"/gs, "")).toMatch(/All/);
    expect(texts[3]?.length).toBeGreaterThan(0);
  },
);

test.each(protocols)("%s: refusals have the provider's status", async (protocol) => {
  expect((await ask(protocol, "limited")).status).toBe(429);
  expect((await ask(protocol, "locked")).status).toBe(401);
});

test.each(protocols)("%s: a cut answer ends in the middle", async (protocol) => {
  await expect((await ask(protocol, "cut")).text()).rejects.toThrow(/terminated/);
});

test("what was asked is kept, with its scenario and turn", async () => {
  await ask("openai", "work", 1);
  expect(model.requests.at(-1)).toMatchObject({
    scenario: "work",
    turn: { protocol: "openai", model: "m", prompt: "go", results: 1, hasTools: true },
  });
});

test("an unknown scenario is not answered by another one", async () => {
  expect((await ask("openai", "nope")).status).toBe(404);
});
