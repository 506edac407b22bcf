import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countResults } from "./count-results.mjs";
import { root } from "./paths.mjs";
import { run } from "./run.mjs";

/**
 * Runs vitest on the given Node and counts. With CI=true a skipped test is a failed one.
 * @param {string} node
 * @param {string[]} args
 */
export async function runVitest(node, args) {
  const version = (await run(node, ["--version"])).output.trim();
  console.log(`\ntests on Node ${version}`);
  const report = join(root, `test-results/vitest-${version}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const command = ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args];
  const { code } = await run(node, command, { show: true });
  return countResults(readReport(report), {
    exitCode: code,
    skipsFail: process.env.CI === "true",
    where: `Node ${version}`,
  });
}

/**
 * @param {string} file
 * @returns {import("./count-results.mjs").FileResult[]}
 */
function readReport(file) {
  if (!existsSync(file)) return []; // vitest did not get that far; its exit code tells
  const report = /** @type {{ testResults: import("./count-results.mjs").FileResult[] }} */ (
    JSON.parse(readFileSync(file, "utf8"))
  );
  return report.testResults;
}
