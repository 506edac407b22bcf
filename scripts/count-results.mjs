/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {string[]} failures each thing that failed, in words: where it is and how it failed
 *
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] | undefined }} TestResult
 * @typedef {{ name: string, status: string, message?: string, assertionResults: TestResult[] }} FileResult one file in vitest's JSON report
 */

// A failure is told again at the end of the output, where a long run is read first; its head is enough there.
const shownLines = 12;

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
    ...files.flatMap((file) =>
      file.assertionResults
        .filter((test) => failed.includes(test))
        .map((test) => told(`${file.name} > ${test.fullName}`, test.failureMessages?.[0])),
    ),
    ...broken.map((file) => told(file.name, file.message)),
    ...(skipsFail
      ? skipped.map((test) => told(`skipped, which CI=true does not allow: ${test.fullName}`))
      : []),
  ];
  // An error that belongs to no test (an unhandled rejection, a crash) shows only in the exit code.
  if (exitCode !== 0 && failures.length === 0) {
    failures.push(told(`vitest ended with exit code ${exitCode}`));
  }
  return {
    passed: passed.length,
    failed: failures.length,
    skipped: skipsFail ? 0 : skipped.length,
    failures,
  };

  /**
   * @param {string} what
   * @param {string} [how]
   */
  function told(what, how) {
    const lines = how?.trim().split("\n").slice(0, shownLines) ?? [];
    return [`${what} (${where})`, ...lines.map((line) => `  ${line}`)].join("\n");
  }
}
