import type { Signal } from "@multiverse/protocol/signal";
import { afterEach, expect, test } from "vitest";
import { SocketClient } from "./socket-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
const clients: SocketClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.cut();
  await server.stop();
  if (server.errors.length > 0) throw new Error(server.errors.join(""));
});

const MIB = 1_048_576;
const addTask = (title: string): Promise<unknown> =>
  server.open.orchestrator.changePlan([{ op: "create", title }]);
const say = (line: string): void =>
  server.open.feed.signal({
    signal: "task:log",
    data: { taskId: "t", attemptId: "a", stream: "stdout", line, timestamp: "now" },
  } satisfies Signal);
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function join(count: number): Promise<SocketClient[]> {
  const joined = Array.from({ length: count }, () => new SocketClient(server));
  clients.push(...joined);
  await Promise.all(joined.map((client) => client.connect()));
  await expect.poll(() => joined.every(({ seq }) => seq !== null), { timeout: 20_000 }).toBe(true);
  return joined;
}

async function gaugeOf(name: "clients" | "held_bytes_max"): Promise<number> {
  const text = await (await server.api("/metrics")).text();
  return Number(new RegExp(`^multiverse_socket_${name} (\\d+)`, "m").exec(text)?.[1]);
}

const linesOf = ({ signals }: SocketClient): number =>
  signals.filter(({ signal }) => signal === "task:log").length;

test("a client that reads nothing costs less than 1 MiB, is told what it lost, and the others get everything", async () => {
  server = await startTestServer();
  const [slow, healthy] = await join(2);
  if (!slow || !healthy) throw new Error("two clients were expected");
  slow.pause();
  const line = "x".repeat(10_000);
  let most = 0;
  let sent = 0;
  for (let round = 0; round < 400; round++) {
    for (let i = 0; i < 20; i++, sent++) say(line);
    if (round % 10 === 0) await addTask(`task ${round}`);
    // Only when the healthy one has them, so that what is dropped is dropped for the slow one.
    await expect.poll(() => linesOf(healthy), { interval: 1 }).toBe(sent);
    most = Math.max(most, await gaugeOf("held_bytes_max"));
  }
  // Far more was said than a socket swallows by itself: the slow one did lose some.
  expect(sent * line.length).toBeGreaterThan(64 * MIB);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(MIB);
  await expect.poll(() => healthy.text()).toBe(server.stateText());
  expect(healthy.resyncs).toBe(0);
  slow.resume();
  await expect.poll(() => slow.text()).toBe(server.stateText());
  await expect.poll(() => slow.resyncs).toBeGreaterThan(0);
  expect(linesOf(slow)).toBeLessThan(sent);
  expect([slow.disorder, healthy.disorder]).toEqual([[], []]);
}, 90_000);

test("of 200 clients 50 stop reading; the others end with the server's state, and nothing is kept of any that left", async () => {
  server = await startTestServer();
  const all = await join(200);
  expect(await gaugeOf("clients")).toBe(200);
  const [stuck, healthy] = [all.slice(0, 50), all.slice(50)];
  for (const client of stuck) client.pause();
  const line = "x".repeat(20_000);
  let most = 0;
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 5; i++) say(line);
    await addTask(`task ${round}`);
    await nextTurn();
    most = Math.max(most, await gaugeOf("held_bytes_max"));
  }
  expect(most).toBeLessThan(MIB);
  const { seq } = server.open.workspace.state;
  const behind = (): number => healthy.filter((client) => client.seq !== seq).length;
  await expect.poll(behind, { timeout: 30_000 }).toBe(0);
  expect(new Set(healthy.map((client) => client.text()))).toEqual(new Set([server.stateText()]));
  expect(healthy.flatMap(({ disorder }) => disorder)).toEqual([]);
  for (const client of all) client.cut();
  const left = (): Promise<number[]> =>
    Promise.all([gaugeOf("clients"), gaugeOf("held_bytes_max")]);
  await expect.poll(left).toEqual([0, 0]);
}, 90_000);

test("eight workers that print without a pause hold up neither facts nor requests", async () => {
  server = await startTestServer();
  const [client] = await join(1);
  if (!client) throw new Error("a client was expected");
  const line = "x".repeat(200);
  let isOver = false;
  const chatter = (async () => {
    while (!isOver) {
      for (let i = 0; i < 8 * 20; i++) say(line);
      await nextTurn();
    }
  })();
  try {
    for (let i = 0; i < 20; i++) {
      await addTask(`task ${i}`);
      const answer = (await (await server.api(`${server.ws}/tasks`)).json()) as { seq: number };
      // Each fact comes through while the chatter goes on, not when it is over.
      await expect.poll(() => client.seq, { interval: 1 }).toBe(answer.seq);
    }
  } finally {
    isOver = true;
    await chatter;
  }
  expect(client.text()).toBe(server.stateText());
  expect(linesOf(client)).toBeGreaterThan(1_000);
}, 60_000);
