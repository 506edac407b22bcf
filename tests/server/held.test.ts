import { failedResult } from "@multiverse/orchestrator/testing/fake-runs";
import { PoolList, TaskList } from "@multiverse/protocol/http/responses";
import { afterEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "./test-server.ts";

let running: TestServer | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const create = (title: string, paths: string[]) => ({
  op: "create",
  title,
  suggested_impl: { language: "ts", file_paths: paths, constraints: [] },
});

async function reasons({ api, ws }: TestServer): Promise<Record<string, string | null>> {
  const { tasks } = TaskList.parse(await (await api(`${ws}/tasks`)).json());
  return Object.fromEntries(tasks.map(({ title, heldBecause }) => [title, heldBecause]));
}

test("each task says why it is not running although it could", async () => {
  const server = (running = await startTestServer({ script: () => "hang" }));
  const operations = [create("list", ["src/list.ts"]), create("all", ["src/"])];
  expect((await server.post(`${server.ws}/plan`, { operations })).status).toBe(200);
  expect(await reasons(server)).toEqual({
    list: "execution has not been started",
    all: "execution has not been started",
  });
  await server.post(`${server.ws}/execution`, { action: "start" });
  await expect
    .poll(() => reasons(server))
    .toEqual({ list: null, all: "conflicts with list, which is running (src/list.ts)" });
  await server.post(`${server.ws}/execution`, { action: "pause" });
  expect((await reasons(server))["all"]).toBe("execution is paused");
});

test("a rate limit holds the tasks that were not limited themselves, and says until when", async () => {
  const retryAt = new Date(Date.now() + 600_000).toISOString();
  const server = (running = await startTestServer({
    script: ({ taskId }) => ({ result: { ...failedResult(taskId, "rate_limited"), retryAt } }),
  }));
  const operations = [create("first", ["a"]), create("second", ["a"])];
  await server.post(`${server.ws}/plan`, { operations });
  await server.post(`${server.ws}/execution`, { action: "start" });
  await expect
    .poll(async () => (await reasons(server))["second"])
    .toMatch(/^a rate limit holds everything until \d{4}-/);
  const pools = PoolList.parse(await (await server.api(`${server.ws}/pools`)).json());
  expect(pools.conditions.gate).toMatchObject({ status: "closed" });
});
