import { lstatSync, mkdirSync, rmdirSync, unlinkSync, writeFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";

export interface BindMount {
  readonly Type: "bind";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
}

export interface GitGuard {
  readonly mounts: readonly BindMount[];
  /** Takes away the empty places that were made only to be covered. */
  release(): void;
}

/** What git would execute or obey later on the host, below `.git`. */
const GUARDED: readonly (readonly [name: string, kind: "file" | "folder"])[] = [
  ["config", "file"],
  ["hooks", "folder"],
  ["info", "folder"],
  ["modules", "folder"],
];

/**
 * Covers the executable parts of a repo's `.git` with read-only mounts of themselves. What does not exist yet is made
 * empty first, so that it cannot be made by the worker; `.git` itself becomes a mount, so that it cannot be moved away
 * and replaced. Where there is no repo at all, an empty read-only `.git` keeps the worker from making one the host would
 * believe.
 */
export function guardGit(repoPath: string, projectDir: string): GitGuard {
  const made: { path: string; remove: () => void }[] = [];
  const git = join(repoPath, ".git");
  const bind = (path: string, readOnly: boolean): BindMount => ({
    Type: "bind",
    Source: path,
    Target: `${projectDir}${path.slice(repoPath.length)}`,
    ReadOnly: readOnly,
  });
  const make = (path: string, kind: "file" | "folder"): void => {
    if (kind === "folder") mkdirSync(path);
    else writeFileSync(path, "", { flag: "wx" });
    made.unshift({ path, remove: () => (kind === "folder" ? rmdirSync(path) : unlinkSync(path)) });
  };
  const found = look(git);
  const mounts: BindMount[] = [];
  if (found === null) {
    make(git, "folder");
    mounts.push(bind(git, true));
  } else if (found.isFile()) {
    mounts.push(bind(git, true));
  } else {
    refuseLink(git, found);
    mounts.push(bind(git, false));
    for (const [name, kind] of GUARDED) {
      const path = join(git, name);
      const part = look(path);
      if (part === null) make(path, kind);
      else refuseLink(path, part);
      mounts.push(bind(path, true));
    }
  }
  return {
    mounts,
    release() {
      // Only what is still as empty as it was made; somebody on the host may have used it meanwhile.
      for (const { path, remove } of made) if (isEmpty(path)) attempt(remove);
    },
  };
}

function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** A link could not be covered: the mount would land where it points to. */
function refuseLink(path: string, info: Stats): void {
  if (!info.isSymbolicLink()) return;
  throw new MultiverseError(
    "SANDBOX_REFUSED",
    `${path} is a symbolic link, which cannot be protected from the worker`,
    {
      hint: `Replace the link in ${dirname(path)} by what it points to, or name the folder in git's configuration (core.hooksPath).`,
    },
  );
}

function isEmpty(path: string): boolean {
  const info = look(path);
  return info !== null && (info.isDirectory() || info.size === 0);
}

function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // not empty any more, or gone: nobody's harm
  }
}
