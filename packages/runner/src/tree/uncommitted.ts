import { relative } from "node:path";
import { findGit, git, unquote } from "./git.ts";
import { isOurs } from "./tree.ts";

/**
 * The files of a folder that its repository's last commit does not hold as they are, relative to the folder; a new folder
 * counts as one. Null where there is no repository, or git cannot tell.
 */
export async function uncommitted(
  root: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const place = await findGit(root);
  if (!place) return null;
  const prefix = relative(place.workTree, root);
  const status = ["status", "--porcelain=v1", "--no-renames", "--ignore-submodules=all"];
  const { ok, lines } = await git(place, path, [...status, "--", prefix || "."], signal);
  if (!ok) return null;
  return lines
    .map((line) => unquote(line.slice(3)).slice(prefix === "" ? 0 : prefix.length + 1))
    .filter((file) => file !== "" && !isOurs(file));
}
