import { OpenAPIHono } from "@hono/zod-openapi";
import { MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import { bodyLimit } from "hono/body-limit";
import type { Context } from "hono";
import { createGuard, type Guard } from "./guard/guard.ts";
import { knock } from "./guard/knock.ts";
import { secure } from "./guard/headers.ts";
import { errorAnswer, invalidInput } from "./http-error.ts";
import { noSuchRoute } from "./no-such-route.ts";
import { addApiRoutes } from "./routes/api-routes.ts";
import { isPublic, loginRoutes } from "./routes/login.ts";
import type { Parts } from "./routes/parts.ts";
import { staticFile } from "./static-files.ts";
import { currentTrace, traced } from "./trace.ts";

const API = "/api/v1";

export interface App {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Asked before a WebSocket is accepted; the same guard as for every route. */
  readonly guard: Guard;
  /** Every route there is, so that a test can try each of them. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

const OPENAPI = {
  openapi: "3.1.0",
  info: {
    title: "Multiverse",
    version: "1",
    description: "One sentence in a chat becomes finished, checked work by coding agents.",
  },
  security: [{ token: [] }, { cookie: [] }],
};

export function createApp(parts: Parts, hosts: readonly string[]): App {
  const scheme = parts.secureCookie ? "https" : "http";
  const guard = createGuard({ ...parts, hosts, scheme, isPublic });
  const app = newRouter();
  app.use("*", knock(guard, parts.log));
  app.use("*", bodyLimit({ maxSize: LIMITS.httpBodyBytes, onError: tooLarge }));
  loginRoutes(app, parts, true);
  const api = newRouter();
  addApiRoutes(api, parts);
  loginRoutes(api, parts);
  app.route(API, api);
  addSecuritySchemes(app, parts);
  const openapi = app.getOpenAPI31Document(OPENAPI);
  app.get(`${API}/openapi.json`, (c) => c.json(openapi));
  app.get("*", web(parts));
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  app.notFound((c) => noSuchRoute(c, routes));
  app.onError((error, c) => {
    const { status, body } = errorAnswer(error);
    if (status === 500)
      parts.log.error("request failed", { path: c.req.path, traceId: currentTrace(), error });
    return c.json(body, status);
  });
  return {
    fetch: (request) =>
      traced(request.headers.get("x-trace-id"), async (traceId) => {
        const startMs = Date.now();
        const response = await app.fetch(withBody(request));
        return finish(response, { request, traceId, startMs }, parts);
      }),
    guard,
    routes,
  };
}

/** Nothing sent means nothing to say: routes that need no fields take a POST without a body. */
function withBody(request: Request): Request {
  const { method, url, headers, signal } = request;
  const isEmpty =
    (headers.get("content-length") ?? "0") === "0" && !headers.has("transfer-encoding");
  if (method !== "POST" || !isEmpty) return request;
  const rest = new Headers(headers);
  rest.delete("content-length");
  return new Request(url, { method, headers: rest, signal, body: "{}" });
}

const newRouter = (): OpenAPIHono =>
  new OpenAPIHono({
    defaultHook: (result) => {
      if (!result.success) throw invalidInput(result.error);
    },
  });

function addSecuritySchemes(app: OpenAPIHono, { credentials }: Parts): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "cookie", {
    type: "apiKey",
    in: "cookie",
    name: credentials.cookieName,
  });
}

function tooLarge(): never {
  throw new MultiverseError("TOO_LARGE", "the request is larger than 1 MiB", {
    hint: "Send less at a time.",
  });
}

function web({ webRoot }: Parts) {
  return async (c: Context): Promise<Response> => {
    if (c.req.path.startsWith("/api/")) return c.notFound();
    const path = decoded(c.req.path);
    return (path === null ? null : await staticFile(webRoot, path)) ?? c.notFound();
  };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null; // no file can have that name
  }
}

/** Whatever the answer is, it leaves with the headers that protect it. */
function finish(
  response: Response,
  { request, traceId, startMs }: { request: Request; traceId: string; startMs: number },
  { metrics, tracing }: Parts,
): Response {
  metrics.count("multiverse_http_requests_total", {
    method: request.method,
    status: String(response.status),
  });
  tracing.record({
    name: `${request.method} ${new URL(request.url).pathname}`,
    traceId,
    path: [],
    startMs,
    endMs: Date.now(),
    failed: response.status >= 500,
    attributes: { "http.response.status_code": response.status },
  });
  const headers = new Headers(response.headers);
  secure(headers);
  headers.set("x-trace-id", traceId);
  return new Response(response.body, { status: response.status, headers });
}
