/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures what failed outside a test, where vitest's own output may not name it
 *
 * @typedef {{ status: string, fullName: string }} TestResult
 * @typedef {{ name: string, status: string, assertionResults: TestResult[] }} FileResult one file in vitest's JSON report
 */

/**
 * Counts a run so that nothing that went wrong counts as nothing.
 * @param {FileResult[]} files
 * @param {{ exitCode: number, skipsFail: boolean, where: string }} run `where` names the run in failures
 * @returns {Totals}
 */
export function countResults(files, { exitCode, skipsFail, where }) {
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter(({ status }) => status === "passed");
  const failed = tests.filter(({ status }) => status === "failed");
  const skipped = tests.filter((test) => !passed.includes(test) && !failed.includes(test));
  // A file that could not be loaded, or a hook that threw, fails without a failed test.
  const broken = files.filter(
    (file) =>
      file.status === "failed" && !file.assertionResults.some((test) => failed.includes(test)),
  );
  const failures = [
    ...broken.map((file) => file.name),
    ...(skipsFail
      ? skipped.map((test) => `skipped, which CI=true does not allow: ${test.fullName}`)
      : []),
  ];
  // An error that belongs to no test (an unhandled rejection, a crash) shows only in the exit code.
  if (exitCode !== 0 && failed.length + failures.length === 0) {
    failures.push(`vitest ended with exit code ${exitCode}`);
  }
  return {
    passed: passed.length,
    failed: failed.length + failures.length,
    skipped: skipsFail ? 0 : skipped.length,
    failures: failures.map((failure) => `${failure} (${where})`),
  };
}
