import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
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

/** Bundles both programs into dist/, sharing chunks, so that they start fast and without node_modules. */
export async function bundlePrograms() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: programs,
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
    write: false,
  });
  // Entries last: a program started meanwhile finds every chunk it names.
  const entries = new Set(Object.keys(programs).map((name) => join(root, `dist/${name}.mjs`)));
  const chunksFirst = outputFiles.sort(
    (a, b) => Number(entries.has(a.path)) - Number(entries.has(b.path)),
  );
  for (const file of chunksFirst) replace(file.path, file.contents);
  removeOldChunks(new Set(outputFiles.map((file) => file.path)));
}

/**
 * Chunks of earlier builds stay for a day: a server that is still running may load one of them lazily.
 * @param {Set<string>} current
 */
function removeOldChunks(current) {
  const folder = join(root, "dist/chunks");
  const dayAgo = Date.now() - 24 * 60 * 60 * 1000;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    if (!current.has(path) && statSync(path).mtimeMs < dayAgo) rmSync(path, { force: true });
  }
}

/**
 * Whole or not at all, and not touched when unchanged: others may be running these files.
 * @param {string} path
 * @param {Uint8Array} contents
 */
function replace(path, contents) {
  if (unchanged(path, contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/**
 * @param {string} path
 * @param {Uint8Array} contents
 */
function unchanged(path, contents) {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
