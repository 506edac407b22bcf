import { open, rm, type FileHandle } from "node:fs/promises";

/** A log file that never outgrows its cap: the beginning as it came, and at the end the last part with a mark between. */
export interface CappedLog {
  write(line: string): Promise<void>;
  /** What was written so far can be read. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const BATCH_BYTES = 64 * 1_024;
const FLUSH_MS = 100;

/** Starts the file anew. While it grows, what is in it is never moved, so readers can go on from a byte. */
export async function openCappedLog(path: string, cap: number): Promise<CappedLog> {
  const head = await open(path, "w", 0o600);
  const half = Math.floor(cap / 2);
  const tail = ringFile(`${path}.tail`, half);
  let written = 0;
  let batch: string[] = [];
  let batchBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function put(bytes: Buffer): Promise<void> {
    const room = Math.max(0, half - written);
    const first = bytes.subarray(0, room);
    if (first.length > 0) await head.write(first);
    written += first.length;
    if (bytes.length > first.length) await tail.write(bytes.subarray(first.length));
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(batch.join(""));
    batch = [];
    batchBytes = 0;
    // A log that cannot be written any more (a full disk) must not end the attempt it belongs to.
    writing = writing.then(() => put(bytes)).catch(() => {});
    return writing;
  }

  return {
    async write(line) {
      batch.push(line, "\n");
      batchBytes += line.length + 1;
      if (batchBytes >= BATCH_BYTES) await flush();
      else timer ??= setTimeout(() => void flush(), FLUSH_MS);
    },
    flush,
    async close() {
      await flush();
      await tail.moveTo(head).catch(() => {});
      await head.close();
    },
  };
}

/** A file of a fixed size that keeps the last bytes written to it. */
function ringFile(path: string, size: number) {
  let file: FileHandle | null = null;
  let total = 0;
  return {
    async write(bytes: Buffer): Promise<void> {
      file ??= await open(path, "w+", 0o600);
      for (let at = 0; at < bytes.length;) {
        const place = total % size;
        const length = Math.min(bytes.length - at, size - place);
        await file.write(bytes, at, length, place);
        at += length;
        total += length;
      }
    },
    async moveTo(target: FileHandle): Promise<void> {
      if (!file) return;
      const left = Math.max(0, total - size);
      if (left > 0) await target.write(`\n[… ${left} bytes left out …]\n`);
      const start = left > 0 ? total % size : 0;
      const kept = Math.min(total, size);
      const buffer = Buffer.alloc(BATCH_BYTES);
      for (let at = 0; at < kept;) {
        const place = (start + at) % size;
        const length = Math.min(buffer.length, kept - at, size - place);
        const { bytesRead } = await file.read(buffer, 0, length, place);
        if (bytesRead === 0) break;
        await target.write(buffer, 0, bytesRead);
        at += bytesRead;
      }
      await file.close();
      await rm(path, { force: true });
    },
  };
}
