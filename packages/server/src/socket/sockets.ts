import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SOCKET_CLOSE } from "@multiverse/protocol/socket";
import { WebSocketServer, type WebSocket } from "ws";
import type { Feed } from "./feed.ts";
import { createReader, type Reader } from "./reader.ts";

/** The WebSocket clients of all workspaces. */
export interface Sockets {
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, to: Subscription): void;
  /** Says goodbye to the clients of one workspace, or to all. */
  close(workspaceId: string | null, code: number, reason: string): void;
  counts(): { clients: number; heldBytes: number };
  stop(): void;
}

export interface Subscription {
  readonly workspaceId: string;
  readonly feed: Feed;
  readonly since: number | null;
}

interface Client {
  readonly workspaceId: string;
  readonly socket: WebSocket;
  readonly reader: Reader;
  alive: boolean;
}

/** Clients have nothing to say but that they are there. */
const LARGEST_FRAME = 64 * 1_024;
const STUCK_MS = 30_000;
const LOOK_MS = 10_000;
/** Half-open connections show after two missed answers. */
const PING_EVERY = 3;

export function createSockets(now: () => number): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FRAME,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const clients = new Set<Client>();
  let round = 0;

  const look = (): void => {
    round += 1;
    for (const client of clients) {
      const stuck = client.reader.stuckSince;
      if (stuck !== null && now() - stuck > STUCK_MS) dismiss(client);
      else if (round % PING_EVERY === 0) ping(client);
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();

  function serve(socket: WebSocket, raw: Duplex, to: Subscription): void {
    const sink = {
      send: socket.send.bind(socket),
      cork: () => raw.cork(),
      uncork: () => raw.uncork(),
    };
    const reader = createReader(to.feed, sink, to.since, now);
    const client: Client = { workspaceId: to.workspaceId, socket, reader, alive: true };
    clients.add(client);
    socket.on("pong", () => (client.alive = true));
    socket.on("message", () => (client.alive = true));
    socket.on("error", () => socket.terminate());
    socket.on("close", () => {
      clients.delete(client);
      reader.stop();
    });
    reader.ended.catch(() => socket.close(1011, "the stream cannot go on; connect again"));
  }

  return {
    accept(request, socket, head, to) {
      server.handleUpgrade(request, socket, head, (ws) => serve(ws, socket, to));
    },
    close(workspaceId, code, reason) {
      for (const client of clients) {
        if (workspaceId !== null && client.workspaceId !== workspaceId) continue;
        client.reader.stop();
        client.socket.close(code, reason);
      }
    },
    counts: () => ({
      clients: clients.size,
      heldBytes: [...clients].reduce((sum, { reader }) => sum + reader.heldBytes, 0),
    }),
    stop() {
      clearInterval(timer);
      for (const { socket } of clients) socket.terminate();
    },
  };
}

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
