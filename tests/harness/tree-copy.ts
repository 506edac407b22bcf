import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "../../scripts/paths.mjs";

export interface TreeCopy {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

const notSources = new Set([".cache", ".git", "dist", "node_modules", "test-results"]);

/** A copy of the repository's sources that can be broken at will; dependencies are linked, our own packages are the copy's. */
export async function copyTree(): Promise<TreeCopy> {
  const path = await mkdtemp(join(tmpdir(), "multiverse-tree-"));
  await cp(root, path, {
    recursive: true,
    filter: (source) =>
      !relative(root, source)
        .split("/")
        .some((part) => notSources.has(part)),
  });
  await linkDependencies(path);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function linkDependencies(path: string): Promise<void> {
  const ours = join(path, "node_modules/@multiverse");
  await mkdir(ours, { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    // Tools keep caches and records in dot files; a copy must not write into those.
    if (name.startsWith(".") || name === "@multiverse") continue;
    await symlink(join(root, "node_modules", name), join(path, "node_modules", name));
  }
  for (const name of await readdir(join(path, "packages"))) {
    await symlink(join(path, "packages", name), join(ours, name));
  }
}
