import { spawn } from "node:child_process";
import { root } from "./paths.mjs";

/**
 * @typedef {object} Outcome
 * @property {number} code exit code; 128 when a signal ended the process
 * @property {string} output stdout and stderr as they came, unless inherited
 */

/**
 * Runs a command to its end in the repository's root. Never throws: a command that cannot start has code 127.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, show?: boolean }} [options] `show` passes the output on
 * @returns {Promise<Outcome>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...options.env },
      stdio: options.show ? "inherit" : ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => resolve({ code: 127, output: `${command}: ${error.message}\n` }));
    child.on("close", (code) => resolve({ code: code ?? 128, output }));
  });
}

/**
 * Runs npm, the very one that started us where there is one.
 * @param {string[]} args
 */
export function npm(args) {
  const npmProgram = process.env.npm_execpath;
  return npmProgram?.endsWith("npm-cli.js")
    ? run(process.execPath, [npmProgram, ...args])
    : run(process.platform === "win32" ? "npm.cmd" : "npm", args);
}
