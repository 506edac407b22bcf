import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { run } from "./run.mjs";

/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures what failed outside a test, where vitest's own output does not name it
 *
 * @typedef {{ status: string, fullName: string }} TestResult
 * @typedef {{ name: string, status: string, assertionResults: TestResult[] }} FileResult
 */

/**
 * Runs vitest on the given Node and counts. With CI=true a skipped test is a failed one.
 * @param {string} node
 * @param {string[]} args
 * @returns {Promise<Totals>}
 */
export async function runVitest(node, args) {
  const version = (await run(node, ["--version"])).output.trim();
  console.log(`\ntests on Node ${version}`);
  const resultFile = join(root, `test-results/vitest-${version}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  const command = ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args];
  const { code } = await run(node, command, { show: true });
  return count(readResults(resultFile), code, version);
}

/**
 * @param {FileResult[]} files
 * @param {number} code vitest's exit code
 * @param {string} version
 * @returns {Totals}
 */
function count(files, code, version) {
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (/** @type {string} */ status) =>
    tests.filter((test) => test.status === status);
  const skipped = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
  // A file that could not be loaded, or a hook that threw, fails without a failed test.
  const brokenFiles = files.filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  const failures = brokenFiles.map((file) => `${file.name} (Node ${version})`);
  if (process.env.CI === "true") {
    failures.push(
      ...skipped.map((test) => `skipped with CI=true: ${test.fullName} (Node ${version})`),
    );
  }
  const failed = withStatus("failed").length + failures.length;
  if (code !== 0 && failed === 0)
    failures.push(`vitest ended with exit code ${code} (Node ${version})`);
  return {
    passed: withStatus("passed").length,
    failed: Math.max(failed, failures.length),
    skipped: process.env.CI === "true" ? 0 : skipped.length,
    failures,
  };
}

/**
 * @param {string} file
 * @returns {FileResult[]}
 */
function readResults(file) {
  if (!existsSync(file)) return []; // vitest did not get that far; its exit code tells
  return /** @type {{ testResults: FileResult[] }} */ (JSON.parse(readFileSync(file, "utf8")))
    .testResults;
}
