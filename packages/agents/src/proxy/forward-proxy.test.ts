import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createForwardProxy } from "./forward-proxy.ts";

let upstream: Server;
let proxy: Server;
let seen: { url: string; headers: object }[];
let refused: string[];
let upstreamPort: number;
let proxyPort: number;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  seen = [];
  refused = [];
  upstream = createServer((incoming, response) => {
    seen.push({ url: incoming.url ?? "", headers: incoming.headers });
    incoming.pipe(response.writeHead(200, { "x-from": "upstream" }));
  });
  upstreamPort = await listen(upstream);
  proxy = createForwardProxy({
    rules: {
      allow: [`good.test:${upstreamPort}`, "inside.test"],
      allowPrivate: [`good.test:${upstreamPort}`],
    },
    onRefused: (asked, why) => refused.push(`${asked}: ${why}`),
    lookUp: () => Promise.resolve(["127.0.0.1"]),
  });
  proxyPort = await listen(proxy);
});
afterEach(() => {
  for (const server of [upstream, proxy]) {
    server.close();
    server.closeAllConnections();
  }
});

/** What comes back for raw bytes, until the other side closes or says the word. */
async function raw(text: string, until = ""): Promise<string> {
  const socket = connect(proxyPort, "127.0.0.1");
  let got = "";
  socket.on("data", (chunk: Buffer) => {
    got += chunk.toString();
    if (until !== "" && got.includes(until)) socket.destroy();
  });
  socket.write(text);
  await once(socket, "close");
  return got;
}

test("a tunnel to an allowed host carries bytes both ways", async () => {
  const ask = `CONNECT good.test:${upstreamPort} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const inner = "POST /p HTTP/1.1\r\nhost: good.test\r\ncontent-length: 5\r\n\r\nhello";
  const got = await raw(ask + inner, "hello");
  expect(got).toContain("200 Connection Established");
  expect(got).toContain("x-from: upstream");
  expect(refused).toEqual([]);
});

test("a plain request is passed on with its body, without the proxy's own headers", async () => {
  const outgoing = request({
    port: proxyPort,
    method: "POST",
    path: `http://good.test:${upstreamPort}/a?b=1`,
    headers: {
      "proxy-authorization": "secret",
      connection: "close, x-hop",
      "x-hop": "1",
      "x-kept": "2",
    },
  });
  outgoing.end("body");
  const [response] = (await once(outgoing, "response")) as [NodeJS.ReadableStream];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  expect(text).toBe("body");
  expect(seen[0]?.url).toBe("/a?b=1");
  expect(seen[0]?.headers).toMatchObject({ host: `good.test:${upstreamPort}`, "x-kept": "2" });
  expect(seen[0]?.headers).not.toHaveProperty("proxy-authorization");
  expect(seen[0]?.headers).not.toHaveProperty("x-hop");
});

test.each([
  [
    "CONNECT evil.test:443 HTTP/1.1\r\nhost: x\r\n\r\n",
    "403",
    "evil.test:443: not among the allowed hosts",
  ],
  [
    "CONNECT inside.test:443 HTTP/1.1\r\nhost: x\r\n\r\n",
    "403",
    "inside.test:443: resolves to a private address",
  ],
  [
    "CONNECT 127.0.0.1:443 HTTP/1.1\r\nhost: x\r\n\r\n",
    "403",
    "127.0.0.1:443: not among the allowed hosts",
  ],
  ["CONNECT [::1]:443 HTTP/1.1\r\nhost: x\r\n\r\n", "403", "[::1]:443: not a plain host name"],
  [
    "CONNECT evil.test\0.good.test:443 HTTP/1.1\r\nhost: x\r\n\r\n",
    "400",
    "a request that is not HTTP: malformed",
  ],
  [
    "GET http://evil.test/ HTTP/1.1\r\nhost: good.test\r\nconnection: close\r\n\r\n",
    "403",
    "evil.test: not among the allowed hosts",
  ],
  [
    "GET http://good.test@evil.test/ HTTP/1.1\r\nhost: good.test\r\nconnection: close\r\n\r\n",
    "403",
    "good.test@evil.test: not a plain host name",
  ],
  [
    "GET /relative HTTP/1.1\r\nhost: good.test\r\nconnection: close\r\n\r\n",
    "403",
    "/relative: not a whole http address",
  ],
  [
    "GET https://good.test/ HTTP/1.1\r\nhost: good.test\r\nconnection: close\r\n\r\n",
    "403",
    "https://good.test/: not a whole http address",
  ],
])("%j is refused and told", async (text, status, told) => {
  expect(await raw(text)).toContain(`HTTP/1.1 ${status}`);
  expect(refused).toEqual([told]);
  expect(seen).toEqual([]);
});
