import { LIMITS } from "@multiverse/protocol/limits";

const LF = 0x0a;
const CR = 0x0d;

/** Turns bytes into lines as they come. Memory is bounded by one line's limit, whatever the other side sends. */
export interface LineSplitter {
  push(chunk: Uint8Array): string[];
  /** The last line, if it had no line end. */
  end(): string[];
}

/**
 * Line ends are LF, CRLF and a lone CR (progress bars). Bytes that are no UTF-8 become replacement characters.
 * A line over `limit` bytes is handed out cut and marked as soon as the limit is reached; the rest of it is dropped.
 */
export function createLineSplitter(limit: number = LIMITS.lineLength): LineSplitter {
  let held: Uint8Array[] = [];
  let size = 0;
  let dropping = false;
  let afterCr = false;

  function take(): string {
    const line = Buffer.concat(held, size);
    held = [];
    size = 0;
    return line.toString("utf8");
  }

  function hold(bytes: Uint8Array, out: string[]): void {
    if (dropping || bytes.length === 0) return;
    if (size + bytes.length <= limit) {
      // A copy: a small rest must not keep the whole chunk alive, nor change with a reused buffer.
      held.push(Uint8Array.prototype.slice.call(bytes));
      size += bytes.length;
      return;
    }
    const room = limit - size;
    held.push(bytes.subarray(0, room));
    size = limit;
    dropIncompleteTail();
    out.push(`${take()} … [line cut at ${limit} bytes]`);
    dropping = true;
  }

  /** Steps back over a character that the cut went through, so that the mark follows a whole one. */
  function dropIncompleteTail(): void {
    const joined = Buffer.concat(held, size);
    let start = joined.length;
    const oldest = Math.max(0, joined.length - 3);
    while (start > oldest && isContinuation(joined[start - 1])) start--;
    const lead = joined[start - 1] ?? 0;
    const isWhole = lead < 0xc0 || joined.length - (start - 1) >= sequenceLength(lead);
    held = [isWhole ? joined : joined.subarray(0, start - 1)];
    size = held[0]?.length ?? 0;
  }

  return {
    push(chunk) {
      const out: string[] = [];
      let from = 0;
      for (;;) {
        const end = nextBreak(chunk, from);
        if (end === -1) break;
        const isSecondHalfOfCrLf = afterCr && end === 0 && from === 0 && chunk[end] === LF;
        afterCr = false;
        if (!isSecondHalfOfCrLf) {
          hold(chunk.subarray(from, end), out);
          if (!dropping) out.push(take());
          dropping = false;
        }
        from = end + 1;
        if (chunk[end] === CR) {
          if (chunk[from] === LF) from++;
          else afterCr = from === chunk.length;
        }
      }
      if (from < chunk.length) afterCr = false;
      hold(chunk.subarray(from), out);
      return out;
    },
    end() {
      const rest = size > 0 ? [take()] : [];
      dropping = false;
      afterCr = false;
      return rest;
    },
  };
}

function nextBreak(chunk: Uint8Array, from: number): number {
  for (let i = from; i < chunk.length; i++) if (chunk[i] === LF || chunk[i] === CR) return i;
  return -1;
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;
const sequenceLength = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
