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
import { shakeZod } from "./shake-zod.mjs";

/**
 * The programs that ship, by the name of the file they become in dist/. Each stands apart: the server needs all of zod,
 * and the others start faster with the little they use of it. The side-car runs in containers of its own.
 */
const programs = {
  multiverse: "packages/server/src/main.ts",
  "agent-runner": "packages/runner/src/main.ts",
  sidecar: "packages/agents/src/proxy/sidecar.ts",
};

// CommonJS dependencies call require(), which an ES module does not have.
const requireBanner =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/**
 * Bundles the programs into dist/, so that they start fast and without node_modules.
 * @param {{ keepOldChunks?: boolean }} [options]
 */
export async function bundlePrograms({ keepOldChunks = true } = {}) {
  const built = await Promise.all(
    Object.entries(programs).map(([name, source]) => bundle({ [name]: source })),
  );
  const outputFiles = built.flatMap((result) => result.outputFiles);
  // Entries last: a program started meanwhile finds every chunk it names.
  const entries = new Set(Object.keys(programs).map((name) => join(root, `dist/${name}.mjs`)));
  const chunksFirst = outputFiles.sort(
    (a, b) => Number(entries.has(a.path)) - Number(entries.has(b.path)),
  );
  for (const file of chunksFirst) replace(file.path, file.contents);
  // A server that is still running may load a chunk of an earlier build lazily.
  const dayAgo = Date.now() - 24 * 60 * 60 * 1000;
  removeOldChunks(
    new Set(outputFiles.map((file) => file.path)),
    keepOldChunks ? dayAgo : Number.POSITIVE_INFINITY,
  );
}

/** @param {Record<string, string>} entryPoints */
function bundle(entryPoints) {
  return build({
    absWorkingDir: root,
    entryPoints,
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["module", "main"],
    plugins: [shakeZod],
    // Less to read at every start; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: "linked",
    banner: { js: requireBanner },
    legalComments: "none",
    logLevel: "warning",
    write: false,
  });
}

/**
 * @param {Set<string>} current
 * @param {number} before remove those that were made before this time
 */
function removeOldChunks(current, before) {
  const folder = join(root, "dist/chunks");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    if (!current.has(path) && statSync(path).mtimeMs < before) rmSync(path, { force: true });
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
