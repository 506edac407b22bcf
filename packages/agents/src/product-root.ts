import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MARK = join("sandbox", "codex-cli.Dockerfile");

/** The folder the product is installed in: where its Dockerfiles and built programs are, from sources and from dist/. */
export function productRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, MARK)) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
