/** How one path differs between two looks at the working tree. */
export interface Change {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "emptied";
}

/** One look at the working tree; opaque outside of the tree that took it. */
export interface TreeState {
  readonly taken: unknown;
}

/** Finds out what a worker changed: by git where the repo is a work tree, else by comparing listings. */
export interface Tree {
  look(signal: AbortSignal): Promise<TreeState>;
  /** Sorted by path, relative to the repo, `.agent-runner/` left out. */
  changes(before: TreeState, after: TreeState, signal: AbortSignal): Promise<Change[]>;
  /** A short text for the meta-agent: which files changed by how much since `before`. */
  diffStat(before: TreeState, after: TreeState, signal: AbortSignal): Promise<string>;
}

/** Our own files are never a change of the worker's. */
export const isOurs = (path: string): boolean =>
  path === ".agent-runner" || path.startsWith(".agent-runner/");
