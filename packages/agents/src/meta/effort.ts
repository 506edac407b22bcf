import type { ProviderRequest } from "./provider.ts";

/** Thinking harder costs time and money: worth it only after something has failed. */
export function effortOf(request: object): ProviderRequest["effort"] {
  const failedLoop = "lastAssessment" in request && hasFailures(request.lastAssessment);
  const failedTest = "lastTestResult" in request && hasExitCode(request.lastTestResult);
  const refused = "refusal" in request && typeof request.refusal === "string";
  return failedLoop || failedTest || refused ? "high" : "medium";
}

const hasFailures = (assessment: unknown): boolean =>
  isObject(assessment) &&
  "failed" in assessment &&
  Array.isArray(assessment.failed) &&
  assessment.failed.length > 0;

const hasExitCode = (test: unknown): boolean =>
  isObject(test) && "exitCode" in test && test.exitCode !== 0;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
