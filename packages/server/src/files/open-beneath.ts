import { constants } from "node:fs";
import { open as openFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "@multiverse/protocol/system-code";

type OpenFile = (path: string, flags: number) => Promise<FileHandle>;

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = constants;

export type Unreadable =
  "outside" | "missing" | "link" | "special" | "hard_link" | "too_large" | "denied";
export type OpenedBeneath =
  | { readonly ok: true; readonly file: FileHandle; readonly size: number }
  | { readonly ok: false; readonly why: Unreadable };

/**
 * Opens a file below `root` without ever leaving it: component by component, each opened relative to the one before
 * and never through a link, so that swapping a folder for a link meanwhile gains nothing. Only a regular file with one
 * name and a sensible size is handed out; a FIFO or device does not block.
 *
 * `open` is the only way it touches the disk, so that a test can change the tree between any two steps.
 */
export async function openBeneath(
  root: string,
  relative: string,
  largest: number,
  open: OpenFile = openFile,
): Promise<OpenedBeneath> {
  const parts = relative.split("/");
  if (parts.some(isUnsafe)) return { ok: false, why: "outside" };
  let folder: FileHandle | undefined;
  let path = root;
  try {
    folder = await open(root, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
    for (const name of parts.slice(0, -1)) {
      const next = await open(inside(folder, path, name), O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
      await folder.close();
      folder = next;
      path = join(path, name);
    }
    const file = await open(
      inside(folder, path, parts.at(-1) ?? ""),
      O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
    );
    return await checked(file, largest);
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  } finally {
    await folder?.close();
  }
}

const isUnsafe = (part: string): boolean =>
  part === "" || part === "." || part === ".." || part.includes("\0") || part.includes("\\");

/** The name in an open folder, whatever that folder's path has become since. Without /proc, by its path as it was. */
const inside = (folder: FileHandle, path: string, name: string): string =>
  process.platform === "linux" ? `/proc/self/fd/${folder.fd}/${name}` : join(path, name);

async function checked(file: FileHandle, largest: number): Promise<OpenedBeneath> {
  const refuse = async (why: Unreadable): Promise<OpenedBeneath> => {
    await file.close();
    return { ok: false, why };
  };
  const found = await file.stat();
  if (!found.isFile()) return refuse("special");
  if (found.nlink !== 1) return refuse("hard_link");
  if (found.size > largest) return refuse("too_large");
  return { ok: true, file, size: found.size };
}

function reasonOf(error: unknown): Unreadable {
  switch (systemCode(error)) {
    case "ELOOP":
      return "link";
    case "ENOTDIR": // a link or a file where a folder should be
      return "link";
    case "ENOENT":
    case "ENAMETOOLONG":
      return "missing";
    case "ENXIO": // a socket, or a FIFO nobody writes to
      return "special";
    case "EACCES":
    case "EPERM":
      return "denied";
    default:
      throw error;
  }
}
