import * as fs from "node:fs";
import { appendFile, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { systemCode } from "@multiverse/protocol/system-code";
import { isMissing, type FileSystem, type OpenFile } from "./file-system.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants;
const FLAGS = {
  read: O_RDONLY | O_NOFOLLOW,
  update: O_RDWR | O_NOFOLLOW,
  create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const;

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const openFd = promisify(fs.open);
const closeFd = promisify(fs.close);
const writeFd = promisify(fs.write);
const readFd = promisify(fs.read);
const statFd = promisify(fs.fstat);
const truncateFd = promisify(fs.ftruncate);
const syncFd = promisify(fs.fdatasync);

/** Bare descriptors instead of FileHandle: half the cost per operation, and commits are made of these. */
async function openFile(path: string, mode: keyof typeof FLAGS): Promise<OpenFile> {
  const fd = await openFd(path, FLAGS[mode], FILE_MODE);
  return {
    write: async (bytes, position) =>
      (await writeFd(fd, bytes, 0, bytes.byteLength, position)).bytesWritten,
    read: async (position, length) => {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await readFd(fd, buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    size: async () => (await statFd(fd)).size,
    truncate: (length) => truncateFd(fd, length),
    sync: () => syncFd(fd),
    close: () => closeFd(fd),
  };
}

/** In one read: fs/promises would take half a megabyte at a time, and a snapshot has many. */
async function readWhole(path: string): Promise<Buffer> {
  const file = await openFile(path, "read");
  try {
    return await file.read(0, await file.size());
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot sync a folder; they order such changes themselves.
    if (!["EINVAL", "ENOTSUP"].includes(systemCode(error))) throw error;
  } finally {
    await handle.close();
  }
}

export const nodeFileSystem: FileSystem = {
  open: openFile,
  readFile: readWhole,
  writeFile: (path, bytes) => writeFile(path, bytes, { mode: FILE_MODE }),
  appendFile: (path, text) => appendFile(path, text, { mode: FILE_MODE }),
  list: async (folder) => {
    try {
      return (await readdir(folder)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  makeFolder: async (folder) => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  syncFolder,
};
