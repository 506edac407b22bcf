import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Settings } from "@multiverse/protocol/settings";
import { describe, expect, test } from "vitest";
import { jsonOf, ownServer } from "./own-server.ts";

const start = ownServer();

describe("settings", () => {
  test("are written to config/ and read back; a key in them is refused", async () => {
    const { api, home } = await start();
    const put = (body: unknown): Promise<Response> =>
      api("/settings/llm", { method: "PUT", body: JSON.stringify(body) });
    expect((await put({ kind: "claude-code", model: "m" })).status).toBe(200);
    expect(await jsonOf(api("/settings/llm"))).toEqual({ kind: "claude-code", model: "m" });
    expect((await put({ kind: "claude-code", apiKey: "k" })).status).toBe(400);
    expect(await jsonOf(api("/settings/llm"))).toEqual({ kind: "claude-code", model: "m" });
    const file = await readFile(join(home.config, "llm.json"), "utf8");
    expect(JSON.parse(file)).toEqual({ kind: "claude-code", model: "m" });
  });

  test("choosing a meta-agent ends the demo, unless someone insisted on it", async () => {
    const demo = async (forced: boolean): Promise<unknown> => {
      const server = await start({ demo: { on: true, forced } });
      const before = (await jsonOf(server.api("/doctor")))["demo"];
      const llm = JSON.stringify({ kind: "claude-code" });
      await server.api("/settings/llm", { method: "PUT", body: llm });
      const after = (await jsonOf(server.api("/doctor")))["demo"];
      if (!forced) await server.stop();
      return [before, after];
    };
    expect(await demo(false)).toEqual([true, false]);
    expect(await demo(true)).toEqual([true, true]);
  });

  test("a file that cannot be understood is kept and reported", async () => {
    const { api, home } = await start();
    await writeFile(join(home.config, "tooling.json"), '{"profiles": 7}');
    const answer = await api("/settings/tooling");
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain("profiles");
    const { checks } = await jsonOf(api("/doctor"));
    expect(checks).toContainEqual(
      expect.objectContaining({ id: "settings", detail: expect.stringContaining("profiles") }),
    );
    expect(await readFile(join(home.config, "tooling.json"), "utf8")).toBe('{"profiles": 7}');
  });

  test("a tooling that names what nobody knows is tried as it is, and the doctor says so", async () => {
    const { api } = await start();
    const worker = { candidates: [{ tool: "codex-cli", model: "gpt-nonsense" }] };
    const tooling = {
      activeProfile: "gone",
      profiles: [{ id: "mine", name: "Mine", categories: { worker } }],
    };
    const body = JSON.stringify(tooling);
    expect((await api("/settings/tooling", { method: "PUT", body })).status).toBe(200);
    const { checks } = await jsonOf(api("/doctor"));
    expect(checks).toContainEqual(
      expect.objectContaining({
        id: "settings",
        status: "warning",
        detail: expect.stringMatching(/activeProfile.*"gone".*candidates\.0\.model.*gpt-nonsense/),
      }),
    );
  });

  test("the connection test reports what the meta-agent said", async () => {
    const { post } = await start({
      ask: async () => {
        throw new Error("secret detail");
      },
    });
    const tested = await jsonOf(post("/settings/llm/test"));
    expect(tested).toMatchObject({ ok: false });
    expect(JSON.stringify(tested)).not.toContain("secret detail");
  });

  test("tools, models and combinations can be asked for", async () => {
    const { api, post } = await start();
    const { tools } = await jsonOf(api("/tools"));
    expect(tools).toContainEqual(expect.objectContaining({ id: "mock", available: true }));
    expect((await api("/tools/codex-cli/models")).status).toBe(200);
    expect((await api("/tools/nothing/models")).status).toBe(404);
    expect(await jsonOf(post("/tools/validate", { tool: "x", model: "" }))).toMatchObject({
      valid: false,
    });
  });

  test("a connection can be tested before it is saved, and what was saved stays", async () => {
    const asked: string[] = [];
    const { api, post } = await start({
      ask: async ({ kind, model }) => `${asked.push(`${kind} ${model}`)}`,
    });
    await api("/settings/llm", { method: "PUT", body: JSON.stringify({ kind: "claude-code" }) });
    await post("/settings/llm/test", { kind: "codex-cli", model: "m-2" });
    await post("/settings/llm/test");
    await api("/settings/llm/test", { method: "POST" });
    expect(asked).toEqual(["codex-cli m-2", "claude-code ", "claude-code "]);
    const unknown = await jsonOf(post("/settings/llm/test", { kind: "nope" }));
    expect(JSON.stringify(unknown)).toMatch(/kind: .*codex-cli/);
    expect((await post("/settings/llm/test", { kind: "codex-cli", apiKey: "k" })).status).toBe(400);
    expect(await jsonOf(api("/settings/llm"))).toMatchObject({ kind: "claude-code" });
  });

  test("in a demo the profiles that ship are there to choose from", async () => {
    const { api } = await start({ demo: { on: true, forced: true } });
    const { profiles } = await jsonOf(api("/settings/tooling"));
    expect(profiles).toMatchObject([{ id: "balanced" }, { id: "fast" }]);
  });

  test("more room is used at once", async () => {
    const { api, post, ws, open } = await start({ script: () => "hang" });
    const put = (maxParallel: number): Promise<Response> =>
      api("/settings/general", {
        method: "PUT",
        body: JSON.stringify({ maxParallel, parallel: "always" }),
      });
    await put(1);
    for (const title of ["one", "two"]) await post(`${ws}/tasks`, { title });
    await post(`${ws}/execution`, { action: "start" });
    const running = (): number => open.workspace.state.index.running.size;
    await expect.poll(running).toBe(1);
    await put(2);
    await expect.poll(running).toBe(2);
    await open.workspace.flush();
    const agents = await readFile(join(open.workspace.dir, "state/agents.json"), "utf8");
    expect(JSON.parse(agents)).toMatchObject({ agents: [{ max_parallel: 2 }] });
  });

  test("the general ones have defaults, hold at once when they are set, and survive a restart", async () => {
    const first = await start();
    expect(await jsonOf(first.api("/settings/general"))).toEqual(Settings.parse({}));
    const put = (body: unknown): Promise<Response> =>
      first.api("/settings/general", { method: "PUT", body: JSON.stringify(body) });
    expect((await put({ maxParallel: 3, parallel: "always" })).status).toBe(200);
    expect(first.open.capacity.total).toBe(3);
    expect((await put({ maxParallel: 0 })).status).toBe(400);
    expect((await put({ maxParalel: 2 })).status).toBe(400);
    expect((await put({ allowPrivateHosts: ["a b"] })).status).toBe(400);
    await first.stop({ keep: true });
    const second = await start({ root: first.root });
    expect(await jsonOf(second.api("/settings/general"))).toMatchObject({
      maxParallel: 3,
      parallel: "always",
    });
    expect(second.open.capacity.total).toBe(3);
  });
});
