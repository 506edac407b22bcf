import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Signal } from "@multiverse/protocol/signal";
import { emptyState } from "@multiverse/protocol/state";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { createFeed, type Feed } from "./feed.ts";
import { createSockets, type Sockets } from "./sockets.ts";

const PATIENT = { lookMs: 20, stuckMs: 600_000, pingEvery: 10 };

let server: Server;
let sockets: Sockets;
let feed: Feed;
const opened: (() => void)[] = [];

async function serve(patience: typeof PATIENT): Promise<number> {
  sockets = createSockets(() => performance.now(), patience);
  server.on("upgrade", (request, socket, head) =>
    sockets.accept(request, socket, head, {
      workspaceId: "w",
      feed,
      from: { seq: 0, factId: null },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

beforeEach(() => {
  server = createServer();
  feed = createFeed({
    state: emptyState,
    subscribe: () => () => {},
    factsSince: () => Promise.resolve(null),
  });
});
afterEach(async () => {
  sockets.close(null, 1001, "over");
  await sockets.stop();
  for (const end of opened.splice(0)) end();
  await new Promise((resolve) => server.close(resolve));
});

/** A client that speaks the handshake and then never says anything again, as one whose cable was pulled. */
async function mute(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  opened.push(() => socket.destroy());
  socket.on("error", () => {});
  const key = randomBytes(16).toString("base64");
  socket.write(
    `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  return socket;
}

async function listener(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  opened.push(() => socket.terminate());
  await new Promise((resolve) => socket.once("open", resolve));
  return socket;
}

const line: Signal = {
  signal: "task:log",
  data: {
    taskId: "t",
    attemptId: "a",
    stream: "stdout",
    line: "x".repeat(50_000),
    timestamp: "now",
  },
};

test("half-open connections are ended and nothing of them is kept; who answers stays", async () => {
  const port = await serve(PATIENT);
  const there = await listener(port);
  const gone = await Promise.all(Array.from({ length: 20 }, () => mute(port)));
  const closed = gone.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  expect(sockets.counts().clients).toBe(21);
  // They read what comes, or the closing would not be seen; only pings go unanswered.
  for (const socket of gone) socket.resume();
  await Promise.all(closed);
  await expect.poll(() => sockets.counts()).toEqual({ clients: 1, heldBytes: 0, mostHeldBytes: 0 });
  const heard = new Promise((resolve) => there.once("message", resolve));
  feed.signal(line);
  expect(String(await heard)).toContain("task:log");
});

test("one that reads nothing holds a bounded buffer, and is cut off when its time is over", async () => {
  const port = await serve({ ...PATIENT, pingEvery: 1_000_000, stuckMs: 200 });
  const stuck = await mute(port);
  stuck.pause();
  let most = 0;
  await expect
    .poll(
      () => {
        for (let i = 0; i < 4; i++) feed.signal(line); // as much as is kept
        most = Math.max(most, sockets.counts().heldBytes);
        return sockets.counts().clients;
      },
      { interval: 1 },
    )
    .toBe(0);
  expect(most).toBeGreaterThan(100_000);
  expect(most).toBeLessThan(1_048_576);
  expect(sockets.counts().heldBytes).toBe(0);
});

test("a stop does not wait for a client that does not say goodbye", async () => {
  const port = await serve(PATIENT);
  const polite = await listener(port);
  const deaf = await mute(port);
  deaf.pause();
  const code = new Promise((resolve) => polite.once("close", resolve));
  sockets.close(null, 1001, "the server is stopping");
  await sockets.stop();
  expect(await code).toBe(1001);
  expect(sockets.counts().clients).toBe(0);
});

test("after a stop nobody is let in", async () => {
  const port = await serve(PATIENT);
  await sockets.stop();
  const late = new WebSocket(`ws://127.0.0.1:${port}/`);
  opened.push(() => late.terminate());
  await new Promise((resolve) => late.once("error", resolve));
  expect(sockets.counts().clients).toBe(0);
});
