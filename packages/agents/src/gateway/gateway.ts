import { timingSafeEqual } from "node:crypto";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import { passedOn } from "../proxy/headers.ts";
import type { HostRules } from "../proxy/host-rules.ts";
import { routeTo, systemLookUp, type LookUp } from "../proxy/resolve.ts";

export interface GatewayOptions {
  /** Where calls go: the CLI's own endpoint. */
  readonly upstream: string;
  /** The real key; it leaves here only towards the upstream. */
  readonly key: string;
  /** What the worker was given in its place. */
  readonly token: string;
  readonly allowPrivate: HostRules["allowPrivate"];
  readonly onRefused: (asked: string, why: string) => void;
  readonly lookUp?: LookUp;
}

const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"];

/** Passes a CLI's calls on to its provider with the real key in place of a dummy. */
export function createGateway(options: GatewayOptions): Server {
  const server = createServer();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    pass(request, response, options).catch(() => response.destroy());
  });
  return server;
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  options: GatewayOptions,
): Promise<void> {
  const refuse = (status: number, why: string): void => {
    options.onRefused(`gateway ${request.method ?? ""}`, why);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: why } }));
  };
  const held = KEY_HEADERS.filter((name) => holds(request.headers[name], options.token));
  if (held.length === 0) return refuse(401, "the gateway does not know this token");
  const upstream = new URL(options.upstream);
  const url = below(upstream, request.url ?? "/");
  if (url === null) return refuse(403, "outside the provider's address");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const rules = { allow: [`${url.hostname}:${port}`], allowPrivate: options.allowPrivate };
  const route = await routeTo(url.hostname, port, rules, options.lookUp ?? systemLookUp);
  if ("refused" in route) return refuse(502, `${url.hostname}: ${route.refused}`);
  const headers: OutgoingHttpHeaders = { ...passedOn(request.headers), host: url.host };
  for (const name of held) {
    headers[name] = String(request.headers[name]).replace(options.token, () => options.key);
  }
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const outgoing = send({
    host: route.address,
    port,
    servername: url.hostname,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers,
    setHost: false,
  });
  outgoing.on("response", (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers));
    incoming.pipe(response);
  });
  outgoing.on("error", () =>
    response.headersSent ? response.destroy() : refuse(502, "the provider cannot be reached"),
  );
  response.on("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

function holds(header: string | string[] | undefined, token: string): boolean {
  if (typeof header !== "string") return false;
  const given = Buffer.from(header.replace(/^Bearer\s+/i, ""));
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The request's path below the upstream's own; null if it climbs out of it. */
function below(upstream: URL, path: string): URL | null {
  const base = upstream.pathname.replace(/\/+$/, "");
  if (!path.startsWith("/") || !URL.canParse(`${upstream.origin}${base}${path}`)) return null;
  const url = new URL(`${upstream.origin}${base}${path}`);
  const inside =
    url.origin === upstream.origin &&
    (url.pathname === base || url.pathname.startsWith(`${base}/`));
  return inside ? url : null;
}
