import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { MultiverseError, type ErrorBody } from "@multiverse/protocol/error";
import { SECURITY_HEADERS } from "./guard/headers.ts";
import { comeBackLater, refuseRaw, refuseUnreadable, unreadable } from "./refuse-raw.ts";

export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface Listening {
  readonly port: number;
  /** Hands the requests over; until then everybody is told to wait. */
  serve(handler: Handler): void;
  /** From now on everybody is told to come back later. */
  pause(): void;
  close(): Promise<void>;
}

export interface Handler {
  fetch(request: Request): Promise<Response>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Limits that a slow or greedy peer runs into before it costs anything. */
const LIMITS = {
  maxHeaderSize: 16 * 1_024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 5_000,
};

const FIRST_PORT = 4_317;
const TRIES = 100;

/** Binds the port asked for, or the first free one of the list that begins with the last one used. */
export async function listen(
  host: string,
  ports: { readonly exact?: number; readonly last?: number },
  tls: Tls | null,
): Promise<Listening> {
  const next = Array.from({ length: TRIES }, (_, i) => FIRST_PORT + i);
  const tries =
    ports.exact === undefined ? [...(ports.last ? [ports.last] : []), ...next] : [ports.exact];
  for (const port of tries) {
    const server = tls ? createHttpsServer({ ...LIMITS, ...tls }) : createHttpServer(LIMITS);
    const problem = await bind(server, host, port);
    if (problem === null) return serving(server);
    if (problem.code !== "EADDRINUSE" && (problem.code !== "EACCES" || ports.exact !== undefined))
      throw cannotListen(host, port, problem);
  }
  throw cannotListen(host, tries[0] ?? FIRST_PORT, null);
}

function bind(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", resolve);
      resolve(null);
    });
  });
}

function serving(server: Server): Listening {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  server.on("clientError", refuseUnreadable);
  let handler: Handler | null = null;
  const listener = getRequestListener(
    async (request) => handler?.fetch(request) ?? refusal(503, comeBackLater),
    { errorHandler: () => refusal(400, unreadable("the request cannot be read")) },
  );
  server.on("request", (request, response) => void listener(request, response));
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    if (handler) handler.upgrade(request, socket, head);
    else refuseRaw(socket, 503, comeBackLater);
  });
  return {
    port,
    serve: (next) => void (handler = next),
    pause: () => void (handler = null),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 1_000).unref();
      }),
  };
}

const refusal = (status: number, body: ErrorBody): Response =>
  Response.json(body, { status, headers: { ...SECURITY_HEADERS, "cache-control": "no-store" } });

const cannotListen = (
  host: string,
  port: number,
  cause: NodeJS.ErrnoException | null,
): MultiverseError =>
  new MultiverseError(
    "CONFLICT",
    `cannot listen on ${host}:${port}${cause ? ` (${cause.code})` : ""}`,
    {
      hint: "Choose another port with --port, or stop what uses this one.",
      cause,
    },
  );
