import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readSmall } from "./read-beneath.ts";

/** The last commit of a project, found without git: where its objects are, and which it is. */
export interface LastCommit {
  /** The folder of the repository's objects. */
  readonly objects: string;
  /** 40 digits, or 64 where the repository's hashes are sha256. */
  readonly hash: string;
}

const HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Null where there is none, or where whoever can write to the project could have made it up. */
export async function lastCommit(projectRoot: string): Promise<LastCommit | null> {
  const folders = (await linkedFolders(projectRoot)) ?? ownFolders(projectRoot);
  const head = (await readSmall(folders.own, "HEAD"))?.trim() ?? "";
  const hash = HASH.test(head) ? head : await hashOf(folders.common, head);
  return hash === null ? null : { objects: join(folders.common, "objects"), hash };
}

/** A worktree has a HEAD of its own and shares the rest with its repository. */
interface GitFolders {
  readonly own: string;
  readonly common: string;
}

const ownFolders = (projectRoot: string): GitFolders => {
  const own = join(projectRoot, ".git");
  return { own, common: own };
};

/**
 * A linked worktree's `.git` is a file that names a folder of another repository. An agent can write such a file and
 * name anything; what it cannot do is make that folder, outside the project, name this project in turn.
 */
async function linkedFolders(projectRoot: string): Promise<GitFolders | null> {
  const named = pathIn(await readSmall(projectRoot, ".git"), "gitdir: ");
  if (named === null) return null;
  const own = await realpath(resolve(projectRoot, named)).catch(() => null);
  if (own === null || !/\/worktrees\/[^/]+$/.test(own)) return null;
  const back = pathIn(await readSmall(own, "gitdir"), "");
  const pointer = await realpath(resolve(own, back ?? ".")).catch(() => null);
  if (pointer !== join(await realpath(projectRoot), ".git")) return null;
  return { own, common: dirname(dirname(own)) };
}

/** The path in a file of one line, behind what it begins with. */
function pathIn(text: string | null, start: string): string | null {
  const line = text?.replace(/\n$/, "") ?? "";
  return line.startsWith(start) && !/[\n\0]/.test(line) ? line.slice(start.length) || null : null;
}

/** The commit that a branch stands at: loose refs first, then packed-refs. */
async function hashOf(common: string, head: string): Promise<string | null> {
  const ref = /^ref: (refs\/[A-Za-z0-9._/-]+)$/.exec(head)?.[1];
  if (ref === undefined || ref.includes("..")) return null;
  const loose = (await readSmall(common, ref))?.trim() ?? "";
  if (HASH.test(loose)) return loose;
  const packed = (await readSmall(common, "packed-refs")) ?? "";
  const line = packed.split("\n").find((each) => each.endsWith(` ${ref}`));
  const hash = line?.split(" ")[0] ?? "";
  return HASH.test(hash) ? hash : null;
}
