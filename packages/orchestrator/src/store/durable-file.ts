import { dirname } from "node:path";
import type { FileSystem } from "./file-system.ts";

/** The disk did not confirm a write: nobody knows what is on it, so nothing may be acknowledged any more. */
export class SyncFailed extends Error {
  override readonly name = "SyncFailed";
}

/** Runs an fsync; its failure is final and is told apart from every other one. */
export async function durably(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (cause) {
    throw new SyncFailed("the disk did not confirm a write", { cause });
  }
}

/** tmp → fsync → rename → fsync(folder): the file is there whole and for good, or as it was before. */
export async function writeDurably(
  fs: FileSystem,
  path: string,
  chunks: readonly Uint8Array[],
): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    await fs.remove(draft);
    const file = await fs.open(draft, "create");
    try {
      let position = 0;
      for (const chunk of chunks) {
        const written = await file.write(chunk, position);
        if (written < chunk.byteLength) throw shortWrite(written, chunk.byteLength);
        position += written;
      }
      await durably(() => file.sync());
    } finally {
      await file.close();
    }
    await fs.rename(draft, path);
  } catch (error) {
    await fs.remove(draft).catch(() => {});
    throw error;
  }
  await durably(() => fs.syncFolder(dirname(path)));
}

/** A disk that takes only part of a write is full. */
export const shortWrite = (written: number, asked: number): Error =>
  Object.assign(new Error(`only ${written} of ${asked} bytes were written`), { code: "ENOSPC" });
