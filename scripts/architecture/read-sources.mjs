import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Every source of every package.
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function readSources(root) {
  const files = readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/src`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (file) => `${folder}/${file.replaceAll("\\", "/")}`,
      ),
    )
    .filter((file) => /\.(ts|svelte)$/.test(file));
  return new Map(files.sort().map((file) => [file, readFileSync(join(root, file), "utf8")]));
}
