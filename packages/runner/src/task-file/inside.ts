import { realpath } from "node:fs/promises";
import { isAbsolute, join, normalize, relative, sep } from "node:path";

/** A path relative to `root` that stays below it by its words alone, normalised; undefined if it leaves. */
export function lexicallyInside(root: string, path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  const rel = isAbsolute(path) ? relative(root, path) : normalize(path);
  if (isAbsolute(rel) || rel === ".." || rel.startsWith(`..${sep}`)) return undefined;
  return rel.replace(/\/$/, "") || ".";
}

/**
 * The real place of something below `root`, links followed; undefined if it leaves. Throws ENOENT where nothing is there:
 * a dangling link must not count as "inside because its parent is".
 */
export async function reallyInside(root: string, path: string): Promise<string | undefined> {
  const rel = lexicallyInside(root, path);
  if (rel === undefined) return undefined;
  const [realRoot, real] = await Promise.all([realpath(root), realpath(join(root, rel))]);
  return real === realRoot || real.startsWith(realRoot + sep) ? real : undefined;
}
