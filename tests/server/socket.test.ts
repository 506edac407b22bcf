import { randomInt } from "node:crypto";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { afterEach, describe, expect, test } from "vitest";
import { SocketClient } from "./socket-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
afterEach(async () => {
  await server.stop();
  if (server.errors.length > 0) throw new Error(server.errors.join(""));
});
const start = async (): Promise<SocketClient> => {
  server = await startTestServer();
  return new SocketClient(server);
};
const addTask = (title: string): Promise<unknown> =>
  server.open.orchestrator.changePlan([{ op: "create", title }]);

describe("facts", () => {
  test("a new client gets the state, then every fact", async () => {
    const client = await start();
    await client.connect();
    await expect.poll(() => client.text()).toBe(server.stateText());
    await addTask("one");
    await addTask("two");
    await expect.poll(() => client.text()).toBe(server.stateText());
    expect(client.disorder).toEqual([]);
  });

  test("one that comes back with its seq gets what it missed, and nothing twice", async () => {
    const client = await start();
    await client.connect();
    await expect.poll(() => client.seq).toBe(server.open.workspace.state.seq);
    client.cut();
    await addTask("missed");
    let heard = 0;
    client.onFacts = (facts) => (heard += facts.length);
    const missing = server.open.workspace.state.seq - (client.seq ?? 0);
    await client.connect();
    await expect.poll(() => client.text()).toBe(server.stateText());
    expect([heard, client.disorder]).toEqual([missing, []]);
  });

  test.each([0, 1, 99_999])(
    "a client that says it is at %i ends with the server's state",
    async (seq) => {
      const client = await start();
      for (let i = 0; i < 5; i++) await addTask(`task ${i}`);
      if (seq === 1) client.state = await server.open.workspace.stateAt(1);
      await client.connect({ seq, factId: null });
      await expect.poll(() => client.text()).toBe(server.stateText());
    },
  );

  test("one that was away while a snapshot was restored ends with the server's state", async () => {
    const client = await start();
    await addTask("in the snapshot");
    const { id } = await server.open.workspace.createSnapshot();
    await addTask("not in it");
    await client.connect();
    await expect.poll(() => client.text()).toBe(server.stateText());
    client.cut();
    const { epoch } = server.open.workspace.state;
    await server.open.orchestrator.restoreSnapshot(id, false);
    await addTask("of the new epoch");
    expect(server.open.workspace.state.epoch).toBe(epoch + 1);
    await client.connect();
    await expect.poll(() => client.text()).toBe(server.stateText());
    expect([client.state?.epoch, client.disorder]).toEqual([epoch + 1, []]);
  });

  test.each(["-1", "x", "1.5", "1e99"])("since=%s is refused", async (since) => {
    await start();
    const answer = await fetch(`${server.url}/api/v1${server.ws}/events?since=${since}`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test("a client that is cut off a thousand times during a run of 500 tasks ends with the server's state", async () => {
    const client = await start();
    await client.connect();
    const operations = Array.from({ length: 500 }, (_, i): PlanOperation => ({
      op: "create",
      tempId: `t${i}`,
      title: `task ${i}`,
      ...(i % 10 === 0 || i < 10 ? {} : { dependencies: [`t${i - 10}`] }),
    }));
    await server.open.orchestrator.changePlan(operations);
    await server.open.orchestrator.setExecution("start");
    for (let i = 0; i < 1_000; i++) {
      client.cut();
      await client.connect();
      if (i % 7 === 0) await new Promise((resolve) => setTimeout(resolve, randomInt(0, 12)));
    }
    const { workspace } = server.open;
    const finished = (): number =>
      [...workspace.state.tasks.values()].filter((task) => task.progress === "succeeded").length;
    await expect.poll(finished, { timeout: 60_000 }).toBe(500);
    await expect.poll(() => client.text()).toBe(server.stateText());
    expect(client.disorder).toEqual([]);
  }, 120_000);
});

test("at the stop clients are told why", async () => {
  const client = await start();
  await client.connect();
  const closed = client.closed();
  await server.server.stop({ detach: false });
  expect(await closed).toEqual({ code: 1001, reason: "the server is stopping" });
});

test("a stop does not wait for a client that reads nothing any more", async () => {
  const client = await start();
  await client.connect();
  await expect.poll(() => client.seq).toBe(1);
  client.pause();
  await server.server.stop({ detach: false });
  const refused = await fetch(server.url).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Error);
});
