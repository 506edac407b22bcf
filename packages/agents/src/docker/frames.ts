/** Takes the engine's multiplexed stream apart: 8 bytes of header (which stream, how long), then so many bytes. */
export interface Demultiplexer {
  push(chunk: Buffer): void;
}

const HEADER = 8;
const STDERR = 2;

/** Passes payload on as it comes, so that memory does not grow with the size of a frame. */
export function createDemultiplexer(
  onData: (stream: "stdout" | "stderr", bytes: Buffer) => void,
): Demultiplexer {
  const header = Buffer.alloc(HEADER);
  let headerBytes = 0;
  let left = 0;
  let stream: "stdout" | "stderr" = "stdout";
  return {
    push(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (left > 0) {
          const part = chunk.subarray(at, at + left);
          onData(stream, part);
          left -= part.length;
          at += part.length;
          continue;
        }
        const taken = chunk.copy(header, headerBytes, at, at + HEADER - headerBytes);
        headerBytes += taken;
        at += taken;
        if (headerBytes < HEADER) return;
        headerBytes = 0;
        stream = header[0] === STDERR ? "stderr" : "stdout";
        left = header.readUInt32BE(4);
      }
    },
  };
}
