import { openBeneath } from "./open-beneath.ts";

const SMALL_BYTES = 4 * 1_048_576;
const PART_BYTES = 256 * 1_024;

/** A whole small file below `root`, or null if there is no such plain file. */
export async function readSmall(root: string, relative: string): Promise<string | null> {
  const opened = await openBeneath(root, relative, SMALL_BYTES);
  if (!opened.ok) return null;
  try {
    return await opened.file.readFile("utf8");
  } finally {
    await opened.file.close();
  }
}

export interface FilePart {
  readonly text: string;
  /** Where to go on from. */
  readonly after: number;
  readonly size: number;
}

/** A part of a growing text file from a byte on. It ends before a character that is not all there yet. */
export async function readPart(root: string, relative: string, after: number): Promise<FilePart> {
  const opened = await openBeneath(root, relative, Number.MAX_SAFE_INTEGER);
  if (!opened.ok) return { text: "", after: 0, size: 0 };
  try {
    const { file, size } = opened;
    const length = Math.min(PART_BYTES, Math.max(0, size - after));
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await file.read(buffer, 0, length, after);
    const whole = wholeCharacters(buffer.subarray(0, bytesRead));
    return { text: whole.toString("utf8"), after: Math.min(after, size) + whole.length, size };
  } finally {
    await opened.file.close();
  }
}

/** Leaves out a UTF-8 character cut off at the end; text that is not UTF-8 is passed on as it is. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length - 1); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
