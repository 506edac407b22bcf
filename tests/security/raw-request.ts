import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends exactly these bytes and reads until the server closes or falls silent; for what no HTTP client would send. */
export function rawRequest(port: number, text: string, silenceMs = 500): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const done = (): void => {
      socket.destroy();
      const end = received.indexOf("\r\n\r\n");
      const head = end === -1 ? received : received.slice(0, end);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
      resolve({ status, head, body: end === -1 ? "" : received.slice(end + 4) });
    };
    let timer: NodeJS.Timeout | undefined;
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
      clearTimeout(timer);
      timer = setTimeout(done, silenceMs);
    });
    socket.on("close", done);
    socket.on("error", (error) => (received === "" ? reject(error) : done()));
    socket.write(text);
  });
}
