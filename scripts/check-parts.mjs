import { run } from "./run.mjs";

/**
 * What `npm run check` checks. Tools are started by path, so that nothing but Node has to be on the PATH.
 * @type {Record<string, string[]>}
 */
const parts = {
  "web types": [
    "node_modules/svelte-check/bin/svelte-check",
    "--workspace=packages/web",
    "--tsconfig=./tsconfig.json",
    "--fail-on-warnings",
  ],
  types: ["node_modules/typescript/bin/tsc", "--pretty"],
  format: [
    "node_modules/prettier/bin/prettier.cjs",
    "--check",
    "--cache",
    "--cache-location=.cache/prettier",
    "--log-level=warn",
    ".",
  ],
  unused: ["node_modules/knip/bin/knip.js", "--no-config-hints"],
  lint: ["node_modules/oxlint/bin/oxlint"],
  architecture: ["scripts/check-architecture.mjs"],
};

/**
 * Runs the named parts (all, when none is named), two at a time, and prints a line each; the output only of those that fail.
 * @param {string[]} names
 * @returns {Promise<string[]>} the parts that failed
 */
export async function check(names = []) {
  const unknown = names.filter((name) => !(name in parts));
  if (unknown.length > 0) {
    console.error(
      `no such check: ${unknown.join(", ")} (there are: ${Object.keys(parts).join(", ")})`,
    );
    return unknown;
  }
  const waiting = Object.entries(parts).filter(
    ([name]) => names.length === 0 || names.includes(name),
  );
  /** @type {string[]} */
  const failed = [];
  async function worker() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!(await passes(...next))) failed.push(next[0]);
    }
  }
  await Promise.all([worker(), worker()]);
  return failed;
}

/**
 * @param {string} name
 * @param {string[]} command
 */
async function passes(name, command) {
  const started = performance.now();
  const { code, output } = await run(process.execPath, command);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? "✓" : "✗"} ${name.padEnd(12)} ${seconds.padStart(5)} s`);
  if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, "  "));
  return code === 0;
}
