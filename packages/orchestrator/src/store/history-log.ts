import { join } from "node:path";
import type { FileSystem, OpenFile } from "./file-system.ts";
import { dayFile, dayOf, dayOfFile, type HistoryPosition } from "./history-files.ts";

/** The disk did not confirm what was written: nobody knows what is on it, so nothing may be acknowledged any more. */
export class SyncFailed extends Error {
  override readonly name = "SyncFailed";
}

/** The end of history, open for appending. One writer; batches one after the other. */
export interface HistoryLog {
  readonly position: HistoryPosition | null;
  /** One write, then durable. On failure the file is cut back to where it was; `SyncFailed` is final. */
  append(bytes: Uint8Array, at: Date): Promise<void>;
  close(): Promise<void>;
}

export function openHistoryLog(
  fs: FileSystem,
  folder: string,
  start: HistoryPosition | null,
): HistoryLog {
  let position = start;
  let file: OpenFile | null = null;
  /** Set while bytes of a failed write may still stand behind the end. */
  let untidy = false;

  const durably = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (cause) {
      throw new SyncFailed("the disk did not confirm a write", { cause });
    }
  };

  /** A new file for a new day. When the clock goes back, the newest file goes on. */
  async function roll(at: Date): Promise<{ file: OpenFile; position: HistoryPosition }> {
    const day = dayOf(at);
    if (position && day <= (dayOfFile(position.file) ?? "")) {
      file ??= await fs.open(join(folder, position.file), "update");
      return { file, position };
    }
    const name = dayFile(day);
    const created = await fs.open(join(folder, name), "create");
    await durably(() => fs.syncFolder(folder));
    await file?.close();
    file = created;
    position = { file: name, offset: 0 };
    return { file, position };
  }

  async function cutBack(open: OpenFile, offset: number): Promise<void> {
    untidy = true;
    await open.truncate(offset);
    await durably(() => open.sync());
    untidy = false;
  }

  async function append(bytes: Uint8Array, at: Date): Promise<void> {
    if (untidy && file && position) await cutBack(file, position.offset);
    const open = await roll(at);
    const { file: name, offset } = open.position;
    try {
      const written = await open.file.write(bytes, offset);
      if (written < bytes.byteLength) throw shortWrite(written, bytes.byteLength);
    } catch (error) {
      await cutBack(open.file, offset).catch((failure: unknown) => {
        if (failure instanceof SyncFailed) throw failure;
      });
      throw error;
    }
    await durably(() => open.file.sync());
    position = { file: name, offset: offset + bytes.byteLength };
  }

  return {
    get position() {
      return position;
    },
    append,
    close: async () => {
      await file?.close();
      file = null;
    },
  };
}

/** A disk that takes only part of a write is full. */
const shortWrite = (written: number, asked: number): Error =>
  Object.assign(new Error(`only ${written} of ${asked} bytes were written`), { code: "ENOSPC" });
