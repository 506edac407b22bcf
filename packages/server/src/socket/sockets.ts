import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SOCKET_CLOSE, type ResumePoint } from "@multiverse/protocol/socket";
import { WebSocketServer, type WebSocket } from "ws";
import type { Feed } from "./feed.ts";
import { createReader, type Reader, type Sink } from "./reader.ts";

/** The WebSocket clients of all workspaces. */
export interface Sockets {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, to: Subscription): void;
  /** Says goodbye to the clients of one workspace, or to all. */
  close(workspaceId: string | null, code: number, reason: string): void;
  counts(): SocketCounts;
  /** Lets nobody in any more, and waits a moment for those who still say goodbye. */
  stop(): Promise<void>;
}

export interface SocketCounts {
  readonly clients: number;
  /** On their way to all of them, and to the one that is furthest behind. */
  readonly heldBytes: number;
  readonly mostHeldBytes: number;
}

export interface Subscription {
  readonly workspaceId: string;
  readonly feed: Feed;
  readonly from: ResumePoint | null;
}

interface Client {
  readonly workspaceId: string;
  readonly socket: WebSocket;
  readonly reader: Reader;
  alive: boolean;
}

/** Clients have nothing to say but that they are there. */
const LARGEST_FRAME = 64 * 1_024;
const OPTIONS = {
  noServer: true,
  maxPayload: LARGEST_FRAME,
  perMessageDeflate: false,
  clientTracking: false,
} as const;
/** Whoever says goodbye slower than this is cut off when the server stops. */
const GOODBYE_MS = 1_000;

/** When a client counts as gone. */
export interface Patience {
  readonly lookMs: number;
  /** So long nothing was read although there was something to read. */
  readonly stuckMs: number;
  /** Every so many looks a client is asked whether it is there; half-open connections show at the second time. */
  readonly pingEvery: number;
}
const PATIENCE: Patience = { lookMs: 10_000, stuckMs: 30_000, pingEvery: 3 };

export function createSockets(now: () => number, patience: Patience = PATIENCE): Sockets {
  const server = new WebSocketServer(OPTIONS);
  const clients = new Set<Client>();
  let round = 0;
  let onEmpty: (() => void) | null = null;

  const look = (): void => {
    round += 1;
    for (const client of clients) {
      const stuck = client.reader.stuckSince;
      if (stuck !== null && now() - stuck > patience.stuckMs) dismiss(client);
      else if (round % patience.pingEvery === 0) ping(client);
    }
  };
  const timer = setInterval(look, patience.lookMs).unref();

  function serve(socket: WebSocket, raw: Duplex, to: Subscription): void {
    const reader = createReader(to.feed, sinkOf(socket, raw), to.from, now);
    const client: Client = { workspaceId: to.workspaceId, socket, reader, alive: true };
    clients.add(client);
    socket.on("pong", () => (client.alive = true));
    socket.on("message", () => (client.alive = true));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clients.delete(client);
      reader.stop();
      if (clients.size === 0) onEmpty?.();
    });
    reader.ended.catch(() => socket.close(1011, "the stream cannot go on; connect again"));
  }

  return {
    accept(request, socket, head, to) {
      if (onEmpty) socket.destroy();
      else server.handleUpgrade(request, socket, head, (ws) => serve(ws, socket, to));
    },
    close(workspaceId, code, reason) {
      for (const client of clients) {
        if (workspaceId !== null && client.workspaceId !== workspaceId) continue;
        client.reader.stop();
        client.socket.close(code, reason);
      }
    },
    counts: () => countsOf([...clients].map(({ reader }) => reader.heldBytes)),
    async stop() {
      clearInterval(timer);
      const empty = new Promise<void>((resolve) => (onEmpty = resolve));
      if (clients.size === 0) return;
      const cutOff = setTimeout(() => {
        for (const { socket } of clients) socket.terminate();
      }, GOODBYE_MS);
      await empty;
      clearTimeout(cutOff);
    },
  };
}

const countsOf = (held: readonly number[]): SocketCounts => ({
  clients: held.length,
  heldBytes: held.reduce((sum, bytes) => sum + bytes, 0),
  mostHeldBytes: Math.max(0, ...held),
});

const sinkOf = (socket: WebSocket, raw: Duplex): Sink => ({
  send: socket.send.bind(socket),
  cork: () => raw.cork(),
  uncork: () => raw.uncork(),
});

/** A client that has not read for so long gets no close handshake through either. */
function dismiss({ socket, reader }: Client): void {
  reader.stop();
  socket.close(SOCKET_CLOSE.tooSlow, "too slow");
  socket.terminate();
}

function ping(client: Client): void {
  if (!client.alive) {
    client.socket.terminate();
    return;
  }
  client.alive = false;
  client.socket.ping();
}
