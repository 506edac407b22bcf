import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./paths.mjs";

/** The two programs that ship, by the name of the file they become in dist/. */
const programs = {
  multiverse: "packages/server/src/main.ts",
  "agent-runner": "packages/runner/src/main.ts",
};

// CommonJS dependencies call require(), which an ES module does not have.
const requireBanner =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/** Bundles both programs into dist/, sharing chunks, so that they start without node_modules. */
export async function bundlePrograms() {
  const entries = Object.entries(programs).filter(([, source]) => existsSync(join(root, source)));
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries),
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    sourcemap: "linked",
    banner: { js: requireBanner },
    legalComments: "none",
    logLevel: "warning",
  });
}
