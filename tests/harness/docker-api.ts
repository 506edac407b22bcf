import { request, type IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

export interface DockerAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** One call to a Docker engine over its socket. A body that is a stream is sent as it is, anything else as JSON. */
export function callDocker(
  socketPath: string,
  method: string,
  path: string,
  body?: Readable | object,
): Promise<DockerAnswer> {
  return new Promise((resolve, reject) => {
    const streamed = isReadable(body);
    const headers = { "content-type": streamed ? "application/x-tar" : "application/json" };
    const outgoing = request({ socketPath, method, path, headers }, (response) => {
      collect(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, body: bytes }),
        reject,
      );
    });
    outgoing.on("error", reject);
    if (streamed) body.on("error", reject).pipe(outgoing);
    else outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function isReadable(body: Readable | object | undefined): body is Readable {
  return body !== undefined && "pipe" in body;
}

async function collect(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
