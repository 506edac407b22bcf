import { expect, test } from "vitest";
import { CompletionAssessmentAnswer } from "@multiverse/protocol/meta/completion-assessment";
import { toCamel } from "@multiverse/protocol/case";
import { applyAssessment, applyEvidence, criteriaOf, failing } from "./criteria.ts";
import type { Criterion } from "./task-context.ts";

const evidence = (exitCode: number) => ({ command: "check", exitCode, durationMs: 1, tail: "" });

/** AC-1 without a check, AC-2 with one that passed, AC-3 with one that failed. */
function three(): Criterion[] {
  const check = { kind: "command", command: "check" };
  const criteria = criteriaOf([
    { description: "one", critical: true },
    { description: "two", critical: false, check },
    { description: "three", critical: true, check },
  ]);
  criteria.slice(1).forEach((criterion, i) => applyEvidence(criterion, evidence(i)));
  return criteria;
}

function passedAfter(answer: object, criteria = three()): string[] {
  applyAssessment(criteria, toCamel(CompletionAssessmentAnswer.parse(answer)));
  return criteria.filter(({ passed }) => passed).map(({ id }) => id);
}
const by = (id: string, status: string) => ({ id, status });

test.each<[string, object, string[]]>([
  ["everything, without a list", { all_criteria_satisfied: true }, ["AC-1", "AC-2"]],
  ["nothing, without a list", { all_criteria_satisfied: false }, []],
  [
    "a list with all of them",
    {
      all_criteria_satisfied: true,
      by_criterion: ["AC-1", "AC-2", "AC-3"].map((id) => by(id, "passed")),
    },
    ["AC-1", "AC-2"],
  ],
  ["a criterion failed whose check passed", { by_criterion: [by("AC-2", "failed")] }, []],
  ["the older list", { details: { passed_criteria: ["AC-1", "AC-3"] } }, ["AC-1", "AC-2"]],
  [
    "an empty older list",
    { all_criteria_satisfied: true, details: { passed_criteria: [] } },
    ["AC-2"],
  ],
  ["nothing at all", {}, ["AC-2"]],
  ["somebody else's id", { by_criterion: [by("AC-9", "passed")] }, ["AC-2"]],
])("an assessment that names %s", (_, answer, passed) => {
  expect(passedAfter(answer)).toEqual(passed);
});

test("what an assessment does not mention keeps its last value", () => {
  const criteria = three();
  passedAfter({ by_criterion: [by("AC-1", "passed")] }, criteria);
  expect(passedAfter({ by_criterion: [by("AC-2", "passed")] }, criteria)).toEqual(["AC-1", "AC-2"]);
  expect(failing(criteria).map(({ id }) => id)).toEqual(["AC-3"]);
});

test("a comment is kept beside the evidence", () => {
  const criteria = three();
  applyAssessment(
    criteria,
    toCamel(
      CompletionAssessmentAnswer.parse({
        by_criterion: [{ id: "AC-3", status: "failed", comment: "typo" }],
      }),
    ),
  );
  expect(criteria[2]?.comment).toBe("`check` exited 1; typo");
});

test("missing and repeated ids become AC-<n>, and never twice the same", () => {
  const planned = [undefined, "AC-1", "own", "own", undefined].map((id) => ({
    description: "x",
    critical: true,
    ...(id === undefined ? {} : { id }),
  }));
  expect(criteriaOf(planned).map(({ id }) => id)).toEqual(["AC-2", "AC-1", "own", "AC-4", "AC-5"]);
});
