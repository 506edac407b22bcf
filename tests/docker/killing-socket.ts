import { createServer, request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { DockerEngine } from "../harness/docker.ts";

/** A way to an engine that ends whoever uses it when the engine has made its n-th change, before they can hear of it. */
export interface KillingSocket {
  /** What was asked for that changes something, in order. */
  readonly changes: readonly string[];
  close(): Promise<void>;
}

export async function openKillingSocket(
  { socket: socketPath }: DockerEngine,
  path: string,
  nth: number,
  kill: () => void,
): Promise<KillingSocket> {
  const changes: string[] = [];
  const open = new Set<Socket>();
  /** Whether this is the call after which nothing more is to be heard. */
  const isLast = ({ method = "", url = "" }: IncomingMessage): boolean => {
    if (method === "GET") return false;
    changes.push(`${method} ${url.replace(/\?.*/, "").replace(/[0-9a-f]{12,}/, "ID")}`);
    return changes.length === nth;
  };
  const server = createServer((incoming, response) => {
    const last = isLast(incoming);
    const { method, url, headers } = incoming;
    const outgoing = request({ socketPath, method, path: url, headers }, (answer) => {
      if (last) return kill();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on("upgrade", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const last = isLast(incoming);
    const upstream = connect({ path: socketPath, allowHalfOpen: true });
    for (const end of [client, upstream])
      end.on("error", () => (client.destroy(), upstream.destroy()));
    upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${headerLines(incoming)}\r\n`);
    upstream.write(head);
    client.pipe(upstream);
    upstream.once("data", (answer: Buffer) => {
      if (last) return kill();
      client.write(answer);
      upstream.pipe(client);
    });
  });
  server.on("connection", (socket: Socket) => open.add(socket));
  server.listen(path);
  await once(server, "listening");
  return {
    changes,
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, "close");
    },
  };
}

const headerLines = ({ rawHeaders }: IncomingMessage): string =>
  rawHeaders.map((word, i) => (i % 2 === 0 ? `${word}: ` : `${word}\r\n`)).join("");
