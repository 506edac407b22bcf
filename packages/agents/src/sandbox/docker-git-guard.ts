import {
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";

export interface BindMount {
  readonly Type: "bind";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
}

export interface GitGuard {
  readonly mounts: readonly BindMount[];
  /** Whether everything that was to be covered is still there; what is unlinked on the host is uncovered inside. */
  isWhole(): boolean;
  /** Takes away the places that were made only to be covered. Nobody else may be working on the repo. */
  release(): void;
}

/** A part of `.git`, and what stands in its place where there is none: a text for a file, nothing for a folder. */
interface Guarded {
  readonly name: string;
  readonly stand?: string;
}

/**
 * What git would execute or obey later on the host, below `.git`. `commondir` moves everything else, the configuration
 * included, to another folder: one that says "here" changes nothing, and cannot be replaced by one that says "there".
 */
const GUARDED: readonly Guarded[] = [
  { name: "config", stand: "" },
  { name: "config.worktree", stand: "" },
  { name: "commondir", stand: ".\n" },
  { name: "hooks" },
  { name: "info" },
  { name: "modules" },
  { name: "worktrees" },
  { name: "branches" },
  { name: "remotes" },
];

/**
 * What git was doing and would go on with, commands included. Guarded where a person has left it so; one that is not
 * there cannot be covered, for git would take the cover for the thing, and is named afterwards if a worker makes it.
 */
const ONGOING = ["rebase-merge", "rebase-apply", "sequencer"];

/**
 * Covers the executable parts of a repo's `.git` with read-only mounts of themselves. What does not exist yet is made
 * first, so that it cannot be made by the worker; `.git` itself becomes a mount, so that it cannot be moved away
 * and replaced. Where there is no repo at all, an empty read-only `.git` keeps the worker from making one the host would
 * believe.
 */
export function guardGit(repoPath: string, projectDir: string): GitGuard {
  const git = join(repoPath, ".git");
  const bind = (path: string, readOnly: boolean): BindMount => ({
    Type: "bind",
    Source: path,
    Target: `${projectDir}${path.slice(repoPath.length)}`,
    ReadOnly: readOnly,
  });
  const found = look(git);
  refuseLink(git, found);
  if (found?.isFile()) return guardOf([bind(git, true)], []);
  // Without a HEAD it is no repo: nobody's, or the cover of another run on the same folder.
  if (look(join(git, "HEAD")) === null)
    return guardOf([bind(git, true)], [cover(repoPath, { name: ".git" })]);
  const ongoing = ONGOING.filter((name) => look(join(git, name)) !== null);
  const names = [...GUARDED.map(({ name }) => name), ...ongoing];
  for (const name of names) refuseLink(join(git, name), look(join(git, name)));
  const stands = GUARDED.map((part) => cover(git, part));
  const parts = names.map((name) => bind(join(git, name), true));
  return guardOf([bind(git, false), ...parts], stands);
}

const guardOf = (mounts: readonly BindMount[], stands: readonly Stand[]): GitGuard => ({
  mounts,
  isWhole: () => mounts.every(({ Source }) => look(Source) !== null),
  release: () => stands.forEach((remove) => remove()),
});

/** Removes what was put there, if it is still what it was. */
type Stand = () => void;

/**
 * Makes a part where there is none. By whom it was made does not count when it is removed: the run may have been killed,
 * or others may have worked on beside it. What was put there is known by what is in it, and means nothing to git.
 */
function cover(folder: string, { name, stand }: Guarded): Stand {
  const path = join(folder, name);
  if (stand === undefined) {
    makeFolder(path);
    return () => attempt(() => rmdirSync(path));
  }
  const isMade = makeFile(path, stand);
  if (name === "config" && !isMade) return () => {};
  return () => void (isStill(path, stand) && attempt(() => unlinkSync(path)));
}

const makeFolder = (path: string): boolean => isNew(() => mkdirSync(path));
const makeFile = (path: string, text: string): boolean =>
  isNew(() => writeFileSync(path, text, { flag: "wx" }));

/** Another run on the same repo may make it in the same moment; it is there then, and that is all we want. */
function isNew(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function isStill(path: string, text: string): boolean {
  const info = look(path);
  return (
    info !== null &&
    info.isFile() &&
    info.size === text.length &&
    readFileSync(path, "utf8") === text
  );
}

function look(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** A link could not be covered: the mount would land where it points to. */
function refuseLink(path: string, info: Stats | null): void {
  if (!info?.isSymbolicLink()) return;
  throw new MultiverseError(
    "SANDBOX_REFUSED",
    `${path} is a symbolic link, which cannot be protected from the worker`,
    {
      hint: `Replace the link in ${dirname(path)} by what it points to, or name the folder in git's configuration (core.hooksPath).`,
    },
  );
}

function attempt(remove: () => void): void {
  try {
    remove();
  } catch {
    // not empty any more, or gone: nobody's harm
  }
}
