import { connect, createServer, type Server } from "node:net";

/** Hands every connection on to a socket of the file system: the only way out of a network that has none. */
export function createRelay(socketPath: string): Server {
  return createServer((client) => {
    const upstream = connect({ path: socketPath });
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
}
