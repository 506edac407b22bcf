import { once } from "node:events";
import { createServer, request, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGateway } from "./gateway.ts";

let provider: Server;
let gateway: Server;
let seen: { url: string; headers: IncomingHttpHeaders }[];
let refused: string[];
let port: number;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  seen = [];
  refused = [];
  provider = createServer((incoming, response) => {
    seen.push({ url: incoming.url ?? "", headers: incoming.headers });
    incoming.pipe(response);
  });
  const providerPort = await listen(provider);
  gateway = createGateway({
    upstream: `http://provider.test:${providerPort}/v1`,
    key: "sk-real$&",
    token: "mv-dummy",
    allowPrivate: ["provider.test"],
    onRefused: (asked, why) => refused.push(`${asked}: ${why}`),
    lookUp: () => Promise.resolve(["127.0.0.1"]),
  });
  port = await listen(gateway);
});
afterEach(() => {
  for (const server of [provider, gateway]) {
    server.close();
    server.closeAllConnections();
  }
});

async function ask(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const outgoing = request({ port, method: "POST", path, headers });
  outgoing.end("hello");
  const [response] = (await once(outgoing, "response")) as [
    NodeJS.ReadableStream & { statusCode: number },
  ];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

test.each([
  ["authorization", "Bearer mv-dummy", "Bearer sk-real$&"],
  ["x-api-key", "mv-dummy", "sk-real$&"],
  ["x-goog-api-key", "mv-dummy", "sk-real$&"],
])("the dummy in %s becomes the real key on its way to the provider", async (name, given, sent) => {
  expect(await ask("/responses?a=1", { [name]: given })).toEqual({ status: 200, text: "hello" });
  expect(seen[0]?.url).toBe("/v1/responses?a=1");
  expect(seen[0]?.headers[name]).toBe(sent);
});

test.each([
  ["no token", "/responses", {}, 401],
  ["another token", "/responses", { authorization: "Bearer mv-dummz" }, 401],
  ["the token in a header of no meaning", "/responses", { cookie: "mv-dummy" }, 401],
  ["a path that climbs out", "/../admin", { "x-api-key": "mv-dummy" }, 403],
  ["another host in the path", "//evil.test/x", { "x-api-key": "mv-dummy" }, 200],
])("%s", async (_, path, headers, status) => {
  const answer = await ask(path, headers);
  expect(answer.status).toBe(status);
  expect(answer.text).not.toContain("sk-real");
  const asked = seen.map(({ url }) => url);
  expect(asked).toEqual(status === 200 ? ["/v1//evil.test/x"] : []);
});
