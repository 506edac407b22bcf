import { relative } from "node:path";
import { findGit } from "./git.ts";
import { openGitTree } from "./git-tree.ts";
import { openListing } from "./listing.ts";
import type { Tree } from "./tree.ts";

/**
 * Opened once, before the worker can touch anything: what counts as the repository is decided here. `ownFiles` (absolute)
 * are written by the run itself and never count.
 */
export async function openTree(
  root: string,
  path: string,
  signal: AbortSignal,
  ownFiles: readonly string[] = [],
): Promise<Tree> {
  const place = await findGit(root);
  const tree = (place ? await openGitTree(root, place, path, signal) : null) ?? openListing(root);
  const isOwn = new Set(ownFiles.map((file) => relative(root, file)));
  return {
    ...tree,
    changes: async (...args) =>
      (await tree.changes(...args)).filter((change) => !isOwn.has(change.path)),
  };
}

/** A tree that is opened by the first look, which a cancel can interrupt like any other. */
export function lazyTree(open: (signal: AbortSignal) => Promise<Tree>): Tree {
  let opened: Tree | null = null;
  const tree = (): Tree => {
    if (!opened) throw new Error("a tree is compared before it was looked at");
    return opened;
  };
  return {
    async look(signal) {
      opened ??= await open(signal);
      return opened.look(signal);
    },
    changes: (before, after, signal) => tree().changes(before, after, signal),
    diffStat: (before, after, signal) => tree().diffStat(before, after, signal),
  };
}
