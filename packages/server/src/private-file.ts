import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";

const LARGEST = 4 * 1_048_576;

/** A folder that is ours alone: made 0700, brought back to 0700, refused if it belongs to someone else. */
export async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    if (systemCode(cause) === "EEXIST") return; // something else stands there: said below
    throw new MultiverseError("STORAGE_FAILED", `${path} cannot be made`, {
      hint: "Set MULTIVERSE_HOME to a folder that you can write to.",
      cause,
    });
  });
  const found = await lstat(path);
  refuseForeign(path, found.uid);
  if (!found.isDirectory())
    throw new MultiverseError("STORAGE_FAILED", `${path} is not a folder`, {
      hint: "Move it away, or set MULTIVERSE_HOME to another folder.",
    });
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
}

/** The text of a file that is ours alone, or null if there is none. A link is refused, wide permissions are narrowed. */
export async function readPrivateFile(path: string): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw new MultiverseError("STORAGE_FAILED", `${path} cannot be read`, {
      hint: "It must be a plain file of your own; move whatever is there away.",
      cause: error,
    });
  });
  if (!file) return null;
  try {
    const found = await file.stat();
    refuseForeign(path, found.uid);
    if (!found.isFile() || found.size > LARGEST)
      throw new MultiverseError("STORAGE_FAILED", `${path} is not a file of a sensible size`, {
        hint: "Move it away; a fresh one is written.",
      });
    if ((found.mode & 0o077) !== 0) await file.chmod(0o600);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Whole or not at all, and there after a power cut: temporary file (0600, exclusive), fsync, rename, fsync of the folder. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw storageError(path, error);
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Takes away what a process that was killed while it wrote has left. Only for whoever is the only writer. */
export async function removeDrafts(path: string): Promise<void> {
  const names = await readdir(dirname(path));
  const drafts = names.filter((n) => n.startsWith(`${basename(path)}.`) && n.endsWith(".tmp"));
  for (const name of drafts) await rm(join(dirname(path), name), { force: true });
}

function storageError(path: string, cause: unknown): MultiverseError {
  return systemCode(cause) === "ENOSPC"
    ? new MultiverseError("STORAGE_FULL", `no room to write ${path}`, {
        hint: "Free some disk space and try again; nothing was changed.",
        retryable: true,
        cause,
      })
    : new MultiverseError("STORAGE_FAILED", `${path} cannot be written`, {
        hint: "Check the folder's permissions and the disk.",
        cause,
      });
}

function refuseForeign(path: string, uid: number): void {
  const own = process.getuid?.();
  if (own === undefined || uid === own) return;
  throw new MultiverseError("FORBIDDEN", `${path} belongs to another user`, {
    hint: "Set MULTIVERSE_HOME to a folder of your own.",
  });
}
