import { ErrorBody } from "@multiverse/protocol/error";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rawRequest } from "../security/raw-request.ts";
import { SocketClient } from "./socket-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

const upgrade = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;

test.each([
  ["what is no HTTP", () => "\u0016\u0003\u0001\r\n\r\n", 400],
  ["headers without end", () => `GET / HTTP/1.1\r\nX: ${"y".repeat(40_000)}\r\n\r\n`, 431],
  ["a socket to nowhere", () => upgrade("//"), 400],
  ["a socket to another route", () => upgrade("/api/v1/workspaces"), 404],
  ["a socket of an unknown workspace", () => upgrade("/api/v1/workspaces/nope/events"), 404],
  ["a socket since no fact", () => upgrade(`/api/v1${server.ws}/events?since=x`), 400],
])("%s is refused with code, message and hint", async (_, text, status) => {
  const answer = await rawRequest(Number(new URL(server.url).port), text());
  expect(answer.status).toBe(status);
  const { error } = ErrorBody.parse(JSON.parse(answer.body));
  expect([error.message, error.hint]).toEqual([
    expect.stringMatching(/\S/),
    expect.stringMatching(/\S/),
  ]);
});

test("while the server stops, requests are told to come back", async () => {
  const client = new SocketClient(server);
  await client.connect();
  await expect.poll(() => client.seq).toBe(1);
  client.pause(); // one that says no goodbye, so that the stop takes a moment
  const stopped = server.server.stop({ detach: false });
  const answer = await server.api("/workspaces");
  expect(answer.status).toBe(503);
  expect(ErrorBody.parse(await answer.json()).error.hint).toMatch(/again/);
  await stopped;
});
