import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * A hash over the names and contents of all files at or under the paths, tests left out.
 * @param {string} root
 * @param {string[]} paths
 */
export function fingerprint(root, paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => [...filesUnder(root, path)])) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {Generator<string>}
 */
function* filesUnder(root, path) {
  if (!existsSync(join(root, path))) return;
  if (statSync(join(root, path)).isFile()) {
    if (!path.endsWith(".test.ts")) yield path;
    return;
  }
  for (const name of readdirSync(join(root, path)).sort()) {
    if (name !== "node_modules") yield* filesUnder(root, `${path}/${name}`);
  }
}
