import "./require-node.mjs";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "./build-parts.mjs";
import { ensureInstalled } from "./install.mjs";
import { root } from "./paths.mjs";

/** `npm run bench`: bundles the benchmarks, which are TypeScript, and runs them in this process. */
async function bench() {
  if (!(await ensureInstalled()) || !(await ensureBuilt())) {
    process.exitCode = 1;
    return;
  }
  const { build } = await import("esbuild");
  // Beside the sources' own folder, so that paths relative to a benchmark are right in the bundle as well.
  const outfile = join(root, ".cache/bench.mjs");
  mkdirSync(join(root, ".cache"), { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/main.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    external: ["playwright-core", "esbuild"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  await import(pathToFileURL(outfile).href);
}

await bench();
