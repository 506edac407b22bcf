import { findGit } from "./git.ts";
import { openGitTree } from "./git-tree.ts";
import { openListing } from "./listing.ts";
import type { Tree } from "./tree.ts";

/** Opened once, before the worker can touch anything: what counts as the repository is decided here. */
export async function openTree(root: string, path: string, signal: AbortSignal): Promise<Tree> {
  const place = await findGit(root);
  const tree = place ? await openGitTree(root, place, path, signal) : null;
  return tree ?? openListing(root);
}
