import { join } from "node:path";
import { durably, shortWrite, SyncFailed } from "./durable-file.ts";
import type { FileSystem, OpenFile } from "./file-system.ts";
import { dayFile, dayOf, dayOfFile, type HistoryPosition } from "./history-files.ts";

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
    const old = file;
    file = created;
    position = { file: name, offset: 0 };
    await old?.close().catch(() => {}); // all of it is on the disk already
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
      await file?.close().catch(() => {});
      file = null;
    },
  };
}
