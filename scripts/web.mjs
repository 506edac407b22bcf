import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { root } from "./paths.mjs";

/** Builds the browser's part into dist/web. A server that is running sees the old files or the new ones, never half. */
export async function buildWeb() {
  // Whoever builds, tests included, builds what ships: under another name the compiler leaves its checks for developers in.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  const fresh = join(root, `dist/web.new-${process.pid}`);
  const old = join(root, `dist/web.old-${process.pid}`);
  try {
    await build({
      root: join(root, "packages/web"),
      logLevel: "warn",
      build: { outDir: fresh, emptyOutDir: true },
    });
    tryRename(join(root, "dist/web"), old);
    renameSync(fresh, join(root, "dist/web"));
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function tryRename(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
  }
}
