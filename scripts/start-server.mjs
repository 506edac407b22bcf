import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "./build-parts.mjs";
import { ensureInstalled } from "./install.mjs";
import { root } from "./paths.mjs";

/**
 * `npm start`: makes the clone runnable, then becomes the server.
 * @param {string[]} args what the person wrote after `npm start --`
 */
export async function startServer(args) {
  if (!(await ensureInstalled()) || !(await ensureBuilt())) {
    process.exitCode = 1;
    return;
  }
  const program = join(root, "dist/multiverse.mjs");
  // In this process rather than a child: signals, terminal and exit code are then the server's own.
  process.argv = [process.execPath, program, ...withProject(args)];
  await import(pathToFileURL(program).href);
}

/**
 * The project folder is the first argument; without one, the demo folder is made and used.
 * @param {string[]} args
 */
function withProject(args) {
  const named = args[0] !== undefined && !args[0].startsWith("-");
  if (named) return args;
  const demo = join(homedir(), "multiverse-demo");
  mkdirSync(demo, { recursive: true });
  return [demo, ...args];
}
