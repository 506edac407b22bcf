import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { rawRequest } from "./raw-request.ts";

let server: TestServer;
let port: number;
/** Every route of the router, with ids in place of parameters. */
let routes: { method: string; path: string }[];

beforeAll(async () => {
  server = await startTestServer();
  port = Number(new URL(server.url).port);
  const id = server.open.workspace.id;
  routes = server.server.routes
    .filter(({ path }) => path !== "/*")
    .map(({ method, path }) => ({
      method,
      path: path.replace(":ws", id).replace(/:[a-z]+/g, "x"),
    }));
});
afterAll(() => server.stop());

const isLogin = (path: string): boolean => /^(\/api\/v1\/login|\/login(\.js|\.css)?)$/.test(path);

const json = { "content-type": "application/json" };
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.token}` });

/** The cookie a browser gets for a one-time code. */
async function signIn(): Promise<string> {
  const code = new URL(server.server.loginUrl()).hash.slice("#code=".length);
  const answer = await fetch(`${server.url}/login`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ code }),
  });
  expect(answer.status).toBe(200);
  return answer.headers.get("set-cookie") ?? "";
}

function upgrade(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`, { headers });
    socket.on("unexpected-response", (_, answer) => resolve(answer.statusCode ?? 0));
    socket.on("open", () => {
      socket.close();
      resolve(101);
    });
    socket.on("error", reject);
  });
}
const events = (): string => `/api/v1${server.ws}/events?since=0`;

describe("without a token", () => {
  test("every route of the router answers 401, says nothing and does nothing", async () => {
    const before = server.stateText();
    expect(routes.length).toBeGreaterThan(45);
    for (const { method, path } of routes.filter((route) => !isLogin(route.path))) {
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers: json,
        ...(method === "GET" ? {} : { body: "{}" }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      expect(Object.keys((await answer.json()) as object)).toEqual(["error"]);
    }
    expect(server.stateText()).toBe(before);
  });

  test.each(["/", "/index.html", "/assets/app.js", "/api/v1/nothing", "/../etc/passwd"])(
    "GET %s answers 401",
    async (path) => {
      expect((await fetch(`${server.url}${path}`)).status).toBe(401);
    },
  );

  test("a WebSocket is refused before the upgrade", async () => {
    expect(await upgrade(events(), {})).toBe(401);
    expect(await upgrade(events(), { authorization: "Bearer wrong" })).toBe(401);
    expect(await upgrade(events(), { cookie: `multiverse-${port}=wrong` })).toBe(401);
    expect(await upgrade(`${events()}&token=${server.token}`, {})).toBe(401);
  });

  test("a token in the query is not accepted", async () => {
    const answer = await fetch(`${server.url}/api/v1/workspaces?token=${server.token}`);
    expect(answer.status).toBe(401);
  });
});

describe("with the token", () => {
  test("a WebSocket from another site is refused, one without Origin is let in", async () => {
    expect(await upgrade(events(), { ...bearer(), origin: "https://evil.example" })).toBe(403);
    expect(await upgrade(events(), bearer())).toBe(101);
    expect(await upgrade(events(), { ...bearer(), origin: server.url })).toBe(101);
  });

  test.each([
    ["evil.example:PORT", 421],
    ["127.0.0.1.nip.io:PORT", 421],
    ["127.0.0.1", 421],
    ["127.0.0.1:1", 421],
    ["", 400],
    ["127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT", 421],
    ["127.0.0.1:PORT\r\nHost: evil.example", 421],
  ])("Host %j is refused, for static files too", async (host, status) => {
    for (const path of ["/", "/api/v1/workspaces", "/login"]) {
      const named = host.replaceAll("PORT", String(port));
      const answer = await rawRequest(
        port,
        `GET ${path} HTTP/1.1\r\nHost: ${named}\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`,
      );
      expect([path, [status, 400].includes(answer.status)]).toEqual([path, true]);
      expect(answer.head.toLowerCase()).toContain("x-content-type-options: nosniff");
    }
  });

  test.each(["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT", "[::1]:PORT"])(
    "Host %j is ours",
    async (host) => {
      const answer = await rawRequest(
        port,
        `GET /api/v1/workspaces HTTP/1.1\r\nHost: ${host.replace("PORT", String(port))}\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.status).toBe(200);
    },
  );

  test.each([
    "http://127.0.0.1:1",
    "http://192.168.1.5",
    "null",
    "file://",
    "https://127.0.0.1:PORT",
  ])("Origin %j is refused for changes and sockets", async (named) => {
    const before = server.stateText();
    const origin = named.replace("PORT", String(port));
    const answer = await server.api(`${server.ws}/tasks`, {
      method: "POST",
      headers: { origin },
      body: JSON.stringify({ title: "x" }),
    });
    expect(answer.status).toBe(403);
    expect(await upgrade(events(), { ...bearer(), origin })).toBe(403);
    expect(server.stateText()).toBe(before);
  });

  test.each([
    "text/plain",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/jsonx",
  ])("a change sent as %s is refused", async (type) => {
    const before = server.stateText();
    for (const { method, path } of routes.filter(({ method: m }) => m !== "GET")) {
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...bearer(), "content-type": type },
        body: JSON.stringify({ title: "x" }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 415]);
    }
    expect(server.stateText()).toBe(before);
  });

  test("GET, HEAD and OPTIONS on a route that changes something do nothing and give no CORS headers", async () => {
    const before = server.stateText();
    const readable = new Set(routes.filter((r) => r.method === "GET").map((r) => r.path));
    const actions = routes.filter((r) => r.method !== "GET" && !readable.has(r.path));
    expect(actions.length).toBeGreaterThan(8);
    for (const { path } of actions) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        const answer = await fetch(`${server.url}${path}`, {
          method,
          headers: { ...bearer(), "access-control-request-method": "POST" },
        });
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        const cors = [...answer.headers.keys()].filter((name) => name.startsWith("access-control"));
        expect(cors).toEqual([]);
      }
    }
    expect(server.stateText()).toBe(before);
  });
});

describe("the browser's way in", () => {
  test("a code works once, and the cookie is HttpOnly and SameSite=Strict", async () => {
    const code = new URL(server.server.loginUrl()).hash.slice("#code=".length);
    const login = (): Promise<Response> =>
      fetch(`${server.url}/login`, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ code }),
      });
    const first = await login();
    expect(first.headers.get("set-cookie")).toMatch(
      /^multiverse-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/,
    );
    expect(first.headers.get("set-cookie")).not.toContain(server.token);
    expect((await login()).status).toBe(401);
  });

  test("the cookie opens pages and reads; changes and sockets also need our own Origin", async () => {
    const cookie = (await signIn()).split(";")[0] ?? "";
    const list = await fetch(`${server.url}/api/v1/workspaces`, { headers: { cookie } });
    expect(list.status).toBe(200);
    const change = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${server.url}/api/v1${server.ws}/execution`, {
        method: "POST",
        headers: { ...json, cookie, ...headers },
        body: JSON.stringify({ action: "pause" }),
      });
    expect((await change({})).status).toBe(403);
    expect((await change({ origin: server.url, "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect([200, 409]).toContain((await change({ origin: server.url })).status);
    expect(await upgrade(events(), { cookie })).toBe(403);
    expect(await upgrade(events(), { cookie, origin: server.url })).toBe(101);
  });

  test("the login page is there without a token, holds no data and loads nothing inline", async () => {
    const page = await (await fetch(`${server.url}/login`)).text();
    expect(page).toContain('<script src="/login.js"');
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=/);
    expect((await fetch(`${server.url}/login.js`)).status).toBe(200);
  });

  test("whoever opens a page without being signed in is shown how, with 401", async () => {
    const answer = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain("/login.js");
  });
});

test("every answer carries the headers that protect it", async () => {
  const answers = [
    await fetch(`${server.url}/`),
    await fetch(`${server.url}/login`),
    await server.api("/workspaces"),
    await server.api("/nothing"),
    await server.api("/openapi.json"),
    await server.api(`${server.ws}/tasks`, { method: "POST", body: "{" }),
    await server.api(`${server.ws}/tasks`, { method: "OPTIONS" }),
  ];
  for (const { headers, status } of answers) {
    const csp = headers.get("content-security-policy") ?? "";
    expect([status, csp.includes("default-src 'none'")]).toEqual([status, true]);
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

test.each([
  "/%zz",
  "/%c0%af..%c0%af",
  "/..%2f..%2fetc%2fpasswd",
  "/assets/..%2f..%2fserver.json",
  "//evil.example/x",
])("the address %s finds nothing", async (path) => {
  const answer = await rawRequest(
    port,
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`,
  );
  expect([400, 404]).toContain(answer.status);
});

test.each(["//", "http://", "/api/v1/workspaces/%zz/events", "*", "/\u0001"])(
  "an upgrade of %j is refused and the server lives",
  async (path) => {
    const answer = await rawRequest(
      port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    expect([400, 401, 404, 421]).toContain(answer.status);
    expect((await server.api("/workspaces")).status).toBe(200);
  },
);

test("no answer of any route holds the token", async () => {
  for (const { path } of routes.filter(({ method }) => method === "GET")) {
    const answer = await fetch(`${server.url}${path}`, { headers: bearer() });
    const text = `${[...answer.headers].join()} ${await answer.text()}`;
    expect([path, text.includes(server.token)]).toEqual([path, false]);
  }
});
