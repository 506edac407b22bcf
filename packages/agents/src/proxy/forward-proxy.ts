import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { authorityOf, type HostRules } from "./host-rules.ts";
import { passedOn } from "./headers.ts";
import { routeTo, systemLookUp, type LookUp } from "./resolve.ts";

export interface ProxyOptions {
  readonly rules: HostRules;
  readonly onRefused: (asked: string, why: string) => void;
  readonly lookUp?: LookUp;
}

const CONNECT_MS = 20_000;
const IDLE_MS = 15 * 60_000;

/** A forward proxy that lets through to listed hosts and to nobody else: `CONNECT` for TLS, absolute URLs for the rest. */
export function createForwardProxy(options: ProxyOptions): Server {
  const server = createServer({ maxHeaderSize: 32_768 });
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnel(request.url ?? "", socket, head, options).catch(() => socket.destroy());
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    forward(request, response, options).catch(() => response.destroy());
  });
  // Not a word we understand: a NUL byte in the host, a broken request line.
  server.on("clientError", (_error, socket: Duplex) => {
    options.onRefused("a request that is not HTTP", "malformed");
    refuseSocket(socket, "400 Bad Request", "malformed");
  });
  return server;
}

async function tunnel(
  asked: string,
  client: Duplex,
  head: Buffer,
  options: ProxyOptions,
): Promise<void> {
  client.on("error", () => client.destroy());
  const authority = authorityOf(asked);
  const route = authority
    ? await routeTo(authority.host, authority.port, options.rules, options.lookUp ?? systemLookUp)
    : { refused: "not host:port" };
  if ("refused" in route) {
    options.onRefused(asked, route.refused);
    refuseSocket(client, "403 Forbidden", route.refused);
    return;
  }
  const upstream = connect({ host: route.address, port: route.port });
  const deadline = setTimeout(() => upstream.destroy(), CONNECT_MS);
  upstream.once("connect", () => {
    clearTimeout(deadline);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    join(client, upstream);
  });
  upstream.once("error", () => refuseSocket(client, "502 Bad Gateway", "cannot be reached"));
  upstream.once("close", () => {
    clearTimeout(deadline);
    client.destroy();
  });
}

function join(client: Duplex, upstream: Socket): void {
  upstream.setTimeout(IDLE_MS, () => upstream.destroy());
  client.pipe(upstream).pipe(client);
  client.once("close", () => upstream.destroy());
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  options: ProxyOptions,
): Promise<void> {
  const asked = request.url ?? "";
  const url = URL.canParse(asked) ? new URL(asked) : null;
  const written = /^http:\/\/([^/?#]*)/i.exec(asked)?.[1] ?? "";
  const route =
    url?.protocol === "http:" && written !== ""
      ? await routeTo(
          hostIn(written),
          Number(url.port || 80),
          options.rules,
          options.lookUp ?? systemLookUp,
        )
      : { refused: "not a whole http address" };
  if (url === null || "refused" in route) {
    const why = "refused" in route ? route.refused : "not an address";
    options.onRefused(written || asked, why);
    response.writeHead(403, { "content-type": "text/plain" }).end(`refused: ${why}\n`);
    return;
  }
  const outgoing = httpRequest({
    host: route.address,
    port: route.port,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...passedOn(request.headers), host: url.host },
    setHost: false,
  });
  outgoing.on("response", (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers));
    incoming.pipe(response);
  });
  outgoing.on("error", () =>
    response.headersSent ? response.destroy() : response.writeHead(502).end(),
  );
  response.on("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

/** The host as it was written, before any parser made something else of it. */
const hostIn = (authority: string): string => authority.replace(/:\d*$/, "");

function refuseSocket(socket: Duplex, status: string, why: string): void {
  if (socket.writable)
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nrefused: ${why}\n`,
    );
  else socket.destroy();
}
