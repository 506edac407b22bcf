import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every package.json of the repository, relative to the root. */
export function manifests() {
  const packages = readdirSync(join(root, "packages")).sort();
  return ["package.json", ...packages.map((name) => `packages/${name}/package.json`)];
}
