import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { rawRequest } from "./raw-request.ts";

let server: TestServer;
afterEach(() => server.stop());
const start = async (): Promise<number> => {
  server = await startTestServer();
  return Number(new URL(server.url).port);
};

test("after twenty wrong tokens in a minute 429 is answered, and the right one still works", async () => {
  await start();
  const statuses = new Map<number, number>();
  const tryOne = async (): Promise<void> => {
    const answer = await fetch(`${server.url}/api/v1/workspaces`, {
      headers: { authorization: `Bearer wrong-${Math.random()}` },
    });
    await answer.arrayBuffer();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  };
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 50 }, tryOne));
  expect(Object.fromEntries(statuses)).toEqual({ 401: 20, 429: 980 });
  expect((await server.api("/workspaces")).status).toBe(200);
}, 60_000);

test("wrong login codes count the same way", async () => {
  await start();
  const tries = Array.from({ length: 25 }, () =>
    fetch(`${server.url}/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: "guess" }),
    }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
});

describe("size", () => {
  test("a body over 1 MiB is refused, whether its length is said or not", async () => {
    await start();
    const text = "x".repeat(1_100_000);
    const said = await server.post(`${server.ws}/tasks`, { title: "x", description: text });
    expect(said.status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 12; i++)
          controller.enqueue(new TextEncoder().encode("y".repeat(100_000)));
        controller.close();
      },
    });
    const unsaid = await server.api(`${server.ws}/tasks`, {
      method: "POST",
      body: stream,
      duplex: "half",
    });
    expect(unsaid.status).toBe(413);
  });

  test("ten thousand headers are refused with 431", async () => {
    const port = await start();
    const many = Array.from({ length: 10_000 }, (_, i) => `X-${i}: y\r\n`).join("");
    const answer = await rawRequest(
      port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${many}\r\n`,
    );
    expect(answer.status).toBe(431);
  });

  test("a WebSocket frame over the limit closes the socket with 1009", async () => {
    await start();
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/v1${server.ws}/events`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const code = await new Promise<number>((resolve) => {
      socket.on("open", () => socket.send("x".repeat(100_000)));
      socket.on("close", resolve);
    });
    expect(code).toBe(1009);
  });
});

test("whatever bytes come in, the server lives", async () => {
  const port = await start();
  const starts = [
    "GET / HTTP/1.1\r\n",
    "POST /login HTTP/1.1\r\n",
    "\u0016\u0003\u0001",
    "PRI * HTTP/2.0\r\n\r\n",
    "",
  ];
  const head = `Host: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  const noise = (): string => randomBytes(200).toString("latin1");
  const sent = Array.from({ length: 60 }, (_, i) => {
    const begin = starts[i % starts.length] ?? "";
    return rawRequest(port, `${begin}${i % 2 === 0 ? head : ""}${noise()}\r\n\r\n`, 50).catch(
      () => null,
    );
  });
  const statuses = (await Promise.all(sent)).map((answer) => answer?.status ?? 0);
  expect(statuses.filter((status) => status >= 200 && status < 400)).toEqual([]);
  expect((await server.api("/workspaces")).status).toBe(200);
});

test("a request that dribbles in is ended, and others are served meanwhile", async () => {
  const port = await start();
  const slow = connect(port, "127.0.0.1");
  let answered = "";
  slow.setEncoding("latin1").on("data", (text: string) => (answered += text));
  slow.on("error", () => {});
  slow.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  const dribble = setInterval(() => slow.write("X-Slow: 1\r\n"), 200);
  try {
    expect((await server.api("/workspaces")).status).toBe(200);
    await expect.poll(() => answered, { timeout: 18_000, interval: 100 }).toContain("408");
  } finally {
    clearInterval(dribble);
    slow.destroy();
  }
}, 60_000);
