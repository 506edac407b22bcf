import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { BigIntStats } from "node:fs";
import { lstat, readlink } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

/** What a path held at one moment. Null: nothing there, or something that is neither file nor link. */
export interface FilePrint {
  readonly size: number;
  readonly mtime: string;
  /** Empty for files too large to read on every look; size and time have to do. */
  readonly hash: string;
}

const LARGEST_HASHED = 8 * 1_048_576;

export async function filePrint(path: string, known?: FilePrint | null): Promise<FilePrint | null> {
  try {
    const info = await lstat(path, { bigint: true });
    if (!info.isFile() && !info.isSymbolicLink()) return null;
    const size = Number(info.size);
    const mtime = stampOf(info);
    // Both times unchanged, and the change time cannot be set by hand: the content is the same.
    if (known && known.size === size && known.mtime === mtime) return known;
    return { size, mtime, hash: await hashOf(path, info, size) };
  } catch {
    return null; // gone, or not ours to read
  }
}

const stampOf = (info: BigIntStats): string => `${info.mtimeNs}/${info.ctimeNs}`;

export const samePrint = (a: FilePrint, b: FilePrint): boolean =>
  a.hash === "" || b.hash === "" ? a.size === b.size && a.mtime === b.mtime : a.hash === b.hash;

async function hashOf(path: string, info: BigIntStats, size: number): Promise<string> {
  const hash = createHash("sha1");
  if (info.isSymbolicLink()) return hash.update(`link:${await readlink(path)}`).digest("hex");
  if (size > LARGEST_HASHED) return "";
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
