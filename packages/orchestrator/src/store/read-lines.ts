import { join } from "node:path";
import type { FileSystem } from "./file-system.ts";

/** A line as it stands in a file; `ended` says whether its newline is there. */
export interface StoredLine {
  readonly file: string;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly ended: boolean;
}

const CHUNK = 1_048_576;
const NEWLINE = 0x0a;

/**
 * The lines of a file as bytes (a cut may stand inside a character), a chunk's worth at a time: memory is bounded by the
 * chunk and the longest line, whatever the length of the file.
 */
export async function* readLines(
  fs: FileSystem,
  folder: string,
  file: string,
  from = 0,
): AsyncGenerator<StoredLine[]> {
  const open = await fs.open(join(folder, file), "read");
  try {
    let rest: Buffer[] = [];
    let start = from;
    for (let position = from; ;) {
      const chunk = await open.read(position, CHUNK);
      if (chunk.length === 0) break;
      position += chunk.length;
      const lines: StoredLine[] = [];
      let begin = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
        const piece = chunk.subarray(begin, end);
        const bytes = rest.length > 0 ? Buffer.concat([...rest, piece]) : piece;
        lines.push({ file, offset: start, bytes, ended: true });
        start += bytes.length + 1;
        rest = [];
        begin = end + 1;
      }
      if (begin < chunk.length) rest.push(chunk.subarray(begin));
      if (lines.length > 0) yield lines;
    }
    if (rest.length > 0) yield [{ file, offset: start, bytes: Buffer.concat(rest), ended: false }];
  } finally {
    await open.close();
  }
}
