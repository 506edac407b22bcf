import { systemCode } from "@multiverse/protocol/system-code";

/**
 * What the store asks of a disk. Small on purpose: the same store runs on a real disk (`node-file-system.ts`) and on a
 * simulated one that crashes and fails on command (`simulation/`). Failures carry a `code` such as ENOSPC.
 */
export interface OpenFile {
  /** One write at a position; may write less than asked for, as write(2) may. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Reads up to `length` bytes at a position; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  size(): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Data and size are on the disk when this resolves. After a failure nothing may be assumed, and it is never retried. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileSystem {
  /** `read` and `update` need an existing file, `create` a new one. Never through a symbolic link. */
  open(path: string, mode: "read" | "update" | "create"): Promise<OpenFile>;
  readFile(path: string): Promise<Buffer>;
  /** Writes a new or emptied file without making it durable. */
  writeFile(path: string, bytes: Uint8Array | string): Promise<void>;
  /** Adds to a file (created if missing) without making it durable. */
  appendFile(path: string, text: string): Promise<void>;
  /** Names in a folder, sorted; empty if there is no such folder. */
  list(folder: string): Promise<string[]>;
  makeFolder(folder: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removing what is not there is fine. */
  remove(path: string): Promise<void>;
  /** Makes creations, renames and removals in a folder durable. */
  syncFolder(folder: string): Promise<void>;
}

export const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT";

/** No room: the one kind of failure that passes by itself once someone frees space. */
export const isFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT", "EFBIG"].includes(systemCode(error));
