import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./build-parts.mjs";
import { check } from "./check-parts.mjs";
import { ensureInstalled } from "./install.mjs";
import { installNode24 } from "./node24.mjs";
import { root } from "./paths.mjs";
import { readSkips } from "./skips.mjs";
import { runVitest } from "./vitest-leg.mjs";

/** @typedef {import("./count-results.mjs").Totals} Totals */

const ci = process.env.CI === "true";
// What depends on the version of Node. The rest drives other programs, and once is enough.
const nodeDependent = ["packages/", "tests/programs"];

/**
 * `npm test`: everything that can run here. The last line printed is `N passed, N failed`.
 * @param {string[]} args passed on to vitest; with any, only the tests they select are run
 */
export async function testAll(args) {
  rmSync(join(root, "test-results"), { recursive: true, force: true });
  mkdirSync(join(root, "test-results"));
  const totals = (await ensureInstalled())
    ? sum(args.length > 0 ? [await runVitest(process.execPath, args)] : await everything())
    : failure("install");
  const skips = [...readSkips(), ...(ci || args.length > 0 ? [] : [node24Skip])];
  report(totals, skips);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

/** @returns {Promise<Totals[]>} */
async function everything() {
  const checks = (await check()).map((name) => failure(`check: ${name}`));
  const build = (await ensureBuilt()) ? [] : [failure("build")];
  const here = await runVitest(process.execPath, []);
  return [...checks, ...build, here, ...(ci ? [await onNode24()] : [])];
}

async function onNode24() {
  const node = await installNode24();
  return node === undefined ? failure("install of Node 24") : runVitest(node, nodeDependent);
}

const node24Skip = {
  what: "the unit tests on Node 24",
  why: "only CI installs a second Node",
  how: "CI=true npm test",
};

/**
 * @param {string} what
 * @returns {Totals}
 */
function failure(what) {
  return { passed: 0, failed: 1, skipped: 0, failures: [what] };
}

/**
 * @param {Totals[]} legs
 * @returns {Totals}
 */
function sum(legs) {
  return legs.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
  }));
}

/**
 * @param {Totals} totals
 * @param {import("./skips.mjs").Skip[]} skips
 */
function report({ passed, failed, skipped, failures }, skips) {
  for (const { what, why, how } of skips)
    console.log(`skipped: ${what}: ${why}. To run it: ${how}`);
  for (const what of failures) console.log(`failed: ${what}`);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
}
