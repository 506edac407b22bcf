import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../scripts/paths.mjs";
import { atMost, type Row } from "./row.ts";

const assets = join(root, "dist/web/assets");
const read = (file: string): string => readFileSync(join(assets, file), "utf8");
const IMPORT = /from"\.\/([^"]+\.js)"|import"\.\/([^"]+\.js)"/g;

/** A script and everything it needs before it can run. */
function withImports(file: string, found: Set<string>): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, from, bare] of read(file).matchAll(IMPORT)) withImports(from ?? bare ?? "", found);
  return found;
}

/** What the page loads before its first paint, and in all, compressed. */
export function sizeRows(): Row[] {
  const scripts = readdirSync(assets).filter((file) => file.endsWith(".js"));
  const starts = scripts.filter((file) => /^(index|IdeScreen)-/.test(file));
  const first = starts.reduce((found, file) => withImports(file, found), new Set<string>());
  const sum = (files: Iterable<string>): number =>
    [...files].reduce((total, file) => total + gzipSync(read(file)).length / 1_024, 0);
  return [
    atMost("page: scripts before the first paint, gzip", sum(first), "KB", 250),
    atMost("page: all scripts, gzip", sum(scripts), "KB", 400),
  ];
}
