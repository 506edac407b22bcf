import { join } from "node:path";
import type { FileSystem } from "./file-system.ts";
import { dayOfFile } from "./history-files.ts";
import { peekLine } from "./history-line.ts";

export interface HistoryFile {
  readonly name: string;
  /** Seq of its first line; null for an empty file or one whose first line cannot be read. */
  readonly firstSeq: number | null;
  readonly size: number;
}

/** The files of history in the order of their facts, whatever the clock said when they were begun. */
export async function orderedFiles(fs: FileSystem, folder: string): Promise<HistoryFile[]> {
  const names = (await fs.list(folder)).filter((name) => dayOfFile(name) !== undefined);
  const files = await Promise.all(names.map((name) => describe(fs, folder, name)));
  const known = files.filter((file) => file.firstSeq !== null);
  const ascending = known.every((file, i) => i === 0 || seqOf(file) > seqOf(known[i - 1]));
  if (ascending) return files;
  const unknown = files.filter((file) => file.firstSeq === null);
  return [...known.sort((a, b) => seqOf(a) - seqOf(b)), ...unknown];
}

const seqOf = (file: HistoryFile | undefined): number => file?.firstSeq ?? 0;

async function describe(fs: FileSystem, folder: string, name: string): Promise<HistoryFile> {
  const file = await fs.open(join(folder, name), "read");
  try {
    return {
      name,
      firstSeq: peekLine(await file.read(0, 48))?.seq ?? null,
      size: await file.size(),
    };
  } finally {
    await file.close();
  }
}
