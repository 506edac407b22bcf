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
  const line = createLine(limit);
  let afterCr = false;
  return {
    push(chunk) {
      const out: string[] = [];
      let from = afterCr && chunk[0] === LF ? 1 : 0;
      if (chunk.length > 0) afterCr = false;
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      const breaks = breaksIn(bytes);
      for (let end = breaks(from); end !== -1; end = breaks(from)) {
        line.finish(bytes, from, end, out);
        from = end + 1;
        if (chunk[end] !== CR) continue;
        if (chunk[from] === LF) from++;
        else afterCr = from === chunk.length;
      }
      line.add(chunk.subarray(from), out);
      return out;
    },
    end() {
      const out: string[] = [];
      if (!line.isEmpty()) line.finish(Buffer.alloc(0), 0, 0, out);
      return out;
    },
  };
}

/** The line that is being read: at most `limit` bytes of it are held. */
function createLine(limit: number) {
  let held: Uint8Array[] = [];
  let size = 0;
  let isCut = false;

  function take(): Buffer {
    const bytes = Buffer.concat(held, size);
    held = [];
    size = 0;
    return bytes;
  }

  /** Gives the line out early if this made it too long. */
  function add(bytes: Uint8Array, out: string[]): void {
    if (isCut || bytes.length === 0) return;
    const kept = bytes.subarray(0, limit - size);
    // A copy: a small rest must not keep the whole chunk alive, nor change with a reused buffer.
    held.push(Uint8Array.prototype.slice.call(kept));
    size += kept.length;
    if (kept.length === bytes.length) return;
    isCut = true;
    out.push(`${wholeCharacters(take()).toString("utf8")} … [line cut at ${limit} bytes]`);
  }

  return {
    isEmpty: () => size === 0,
    add,
    /** The line's last bytes; most lines come whole, and need no copy. */
    finish(bytes: Buffer, from: number, to: number, out: string[]): void {
      if (size === 0 && !isCut && to - from <= limit) {
        out.push(bytes.toString("utf8", from, to));
        return;
      }
      add(bytes.subarray(from, to), out);
      if (!isCut) out.push(take().toString("utf8"));
      isCut = false;
    },
  };
}

/** Finds the next line end from a place on, or -1. Each byte is looked at once, whichever of the two ends lines. */
function breaksIn(bytes: Buffer): (from: number) => number {
  const next = (byte: number, from: number): number => {
    const at = bytes.indexOf(byte, from);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  let lf = -1;
  let cr = -1;
  return (from) => {
    if (lf < from) lf = next(LF, from);
    if (cr < from) cr = next(CR, from);
    const end = Math.min(lf, cr);
    return end === Number.POSITIVE_INFINITY ? -1 : end;
  };
}

/** Without the character at the end that the cut went through. */
function wholeCharacters(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const isWhole = bytes.length - lead >= sequenceLength(bytes[lead] ?? 0);
  return isWhole ? bytes : bytes.subarray(0, lead);
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;
const sequenceLength = (lead: number): number =>
  lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
