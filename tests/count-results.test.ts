import { expect, test } from "vitest";
import { countResults } from "../scripts/count-results.mjs";

const run = { exitCode: 0, skipsFail: false, where: "Node 20" };

function file(name: string, status: string, tests: Record<string, string> = {}) {
  const assertionResults = Object.entries(tests).map(([fullName, of]) => ({
    fullName,
    status: of,
  }));
  return { name, status, assertionResults };
}

test("tests are counted over all files", () => {
  const files = [
    file("a", "passed", { one: "passed", two: "skipped", three: "todo" }),
    file("b", "failed", { four: "passed", five: "failed" }),
  ];
  expect(countResults(files, { ...run, exitCode: 1 })).toEqual({
    passed: 2,
    failed: 1,
    skipped: 2,
    failures: ["b > five (Node 20)"],
  });
});

test("a failed test is told with its file and the head of its error", () => {
  const message = ["Error: no", ...Array.from({ length: 40 }, (_, line) => `at ${line}`)];
  const failed = { fullName: "one", status: "failed", failureMessages: [message.join("\n")] };
  const files = [{ name: "a.test.ts", status: "failed", assertionResults: [failed] }];
  const [told] = countResults(files, { ...run, exitCode: 1 }).failures;
  expect(told?.split("\n").slice(0, 3)).toEqual([
    "a.test.ts > one (Node 20)",
    "  Error: no",
    "  at 0",
  ]);
  expect(told?.split("\n")).toHaveLength(13);
});

test("where nothing may be skipped, a skipped test is a failed one and is named", () => {
  const files = [file("a", "passed", { one: "passed", two: "skipped" })];
  expect(countResults(files, { ...run, skipsFail: true })).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: ["skipped, which CI=true does not allow: two (Node 20)"],
  });
});

test("a file that could not be loaded is a failure", () => {
  const { failed, failures } = countResults([file("broken.test.ts", "failed")], {
    ...run,
    exitCode: 1,
  });
  expect({ failed, failures }).toEqual({ failed: 1, failures: ["broken.test.ts (Node 20)"] });
});

test("an error that belongs to no test is a failure", () => {
  const files = [file("a", "passed", { one: "passed" })];
  const { failed, failures } = countResults(files, { ...run, exitCode: 1 });
  expect({ failed, failures }).toEqual({
    failed: 1,
    failures: ["vitest ended with exit code 1 (Node 20)"],
  });
});
