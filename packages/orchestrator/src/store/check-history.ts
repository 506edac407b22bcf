import type { FileSystem } from "./file-system.ts";
import type { HistoryPosition } from "./history-files.ts";
import type { HistoryFile } from "./history-order.ts";
import { crcOf, isIntact, peekLine } from "./history-line.ts";
import { readLines, type StoredLine } from "./read-lines.ts";
import type { Damage } from "./scan-history.ts";

/**
 * Checks the part of history that opening did not read: every line's checksum, and that no seq is missing. It runs
 * behind everything else and stops when the workspace is closed.
 */
export async function checkHistory(
  fs: FileSystem,
  folder: string,
  files: readonly HistoryFile[],
  until: { readonly seq: number; readonly position: HistoryPosition },
  signal: AbortSignal,
): Promise<Damage | null> {
  let next = 1;
  let lastCrc = "";
  const check = (line: StoredLine): string | undefined => {
    if (!isIntact(line.bytes)) return "the checksum does not match";
    const seq = peekLine(line.bytes)?.seq;
    const crc = crcOf(line.bytes);
    if (seq === next - 1 && crc === lastCrc) return undefined;
    if (seq !== next) return `seq ${next} should stand here`;
    next += 1;
    lastCrc = crc;
    return undefined;
  };
  for (const { name } of files) {
    for await (const lines of readLines(fs, folder, name)) {
      for (const line of lines) {
        if (name === until.position.file && line.offset >= until.position.offset)
          return missing(next, until);
        const problem = check(line);
        if (problem) return { file: `history/${name}`, offset: line.offset, problem };
      }
      if (signal.aborted) return null;
    }
    if (name === until.position.file) return missing(next, until);
  }
  return null;
}

const missing = (
  next: number,
  { seq, position }: { readonly seq: number; readonly position: HistoryPosition },
): Damage | null =>
  next > seq
    ? null
    : {
        file: `history/${position.file}`,
        offset: position.offset,
        problem: `seq ${next} is missing before this place`,
      };
