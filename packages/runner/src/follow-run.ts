import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { toCamel } from "@multiverse/protocol/case";
import { RunEvent } from "@multiverse/protocol/run-event";

export interface FollowRun {
  readonly signal: AbortSignal;
  /** Where in the file to begin (bytes); the beginning unless told. */
  readonly from?: number;
  /** Asked when the file is quiet: a run that is gone writes nothing more. */
  readonly isAlive: () => boolean;
}

/** How the file ended: with `finished`, with a process that is gone, or with a line that is none of ours. */
export type FollowEnd = "finished" | "died" | "malformed" | "aborted";

const LONGEST_LINE = 1_048_576;
const CHUNK = 65_536;
/** Watching may miss a change (network disks, a folder that came later): a slow look is the safety net. */
const RESCAN_MS = 1_000;

/** The events of a run as they are appended, in bounded memory. A partial last line is waited for. */
export async function* followRun(
  path: string,
  options: FollowRun,
): AsyncGenerator<RunEvent, FollowEnd> {
  const news = watchFile(path, options.signal);
  let file: FileHandle | null = null;
  try {
    const reader = createLineReader(options.from ?? 0);
    while (!options.signal.aborted) {
      const wasAlive = options.isAlive(); // asked before reading: what it wrote last is then certainly in the file
      file ??= await open(path, "r").catch(() => null);
      let lines = file ? await reader.read(file) : [];
      const wasQuiet = lines.length === 0;
      for (; lines.length > 0 && file; lines = await reader.read(file)) {
        for (const line of lines) {
          const event = readEvent(line);
          if (event === null) return "malformed";
          yield event;
          if (event.type === "finished") return "finished";
        }
      }
      if (reader.isTooLong()) return "malformed";
      if (wasQuiet && !wasAlive) return "died";
      if (wasAlive) await news.next();
    }
    return "aborted";
  } finally {
    news.close();
    await file?.close();
  }
}

function readEvent(line: string): RunEvent | null {
  try {
    const parsed = RunEvent.safeParse(JSON.parse(line));
    return parsed.success ? toCamel(parsed.data) : null;
  } catch {
    return null;
  }
}

/** Whole lines from where the last read stopped; what comes after the last line end is kept for the next time. */
function createLineReader(from: number) {
  let position = from;
  let rest: Buffer = Buffer.alloc(0);
  const chunk = Buffer.alloc(CHUNK);
  return {
    async read(file: FileHandle): Promise<string[]> {
      const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
      position += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(0x0a);
      rest = Buffer.from(bytes.subarray(end + 1));
      if (end === -1) return bytesRead > 0 && rest.length <= LONGEST_LINE ? this.read(file) : [];
      return bytes
        .toString("utf8", 0, end)
        .split("\n")
        .filter((line) => line.trim() !== "");
    },
    isTooLong: () => rest.length > LONGEST_LINE,
  };
}

/** Resolves `next` whenever the file may have grown. */
function watchFile(path: string, signal: AbortSignal) {
  let wake = (): void => {};
  let isNews = false;
  const tell = (): void => {
    isNews = true;
    wake();
  };
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(dirname(path), (_, name) => {
      if (name === null || name === basename(path)) tell();
    });
    watcher.on("error", () => watcher?.close());
  } catch {
    watcher = null; // the folder is not there yet: the slow look finds it
  }
  signal.addEventListener("abort", tell);
  return {
    async next(): Promise<void> {
      if (!isNews) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((done) => {
          wake = done;
          timer = setTimeout(done, RESCAN_MS);
        });
        clearTimeout(timer);
      }
      isNews = false;
    },
    close(): void {
      watcher?.close();
      signal.removeEventListener("abort", tell);
    },
  };
}
