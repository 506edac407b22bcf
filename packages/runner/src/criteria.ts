import type { CompletionAssessmentAnswer } from "@multiverse/protocol/meta/completion-assessment";
import type { PlannedCriterion } from "@multiverse/protocol/meta/criterion";
import type { CriterionResult, Evidence } from "@multiverse/protocol/run-result";
import type { Criterion } from "./task-context.ts";

/** Criteria as the run keeps them. Ids are `AC-<n>` where the plan names none, or names one twice. */
export function criteriaOf(planned: readonly PlannedCriterion[]): Criterion[] {
  const used = new Set(planned.flatMap(({ id }) => id ?? []));
  const taken = new Set<string>();
  const freshId = (n: number): string => {
    for (let i = n; ; i++) if (!used.has(`AC-${i}`) && !taken.has(`AC-${i}`)) return `AC-${i}`;
  };
  return planned.map(({ id, description, type, critical, check }, index) => {
    const own = id !== undefined && !taken.has(id) ? id : freshId(index + 1);
    taken.add(own);
    return {
      id: own,
      description,
      type: type ?? "",
      critical,
      check: check ?? null,
      passed: false,
      comment: "",
      evidence: null,
    };
  });
}

/** The command that proves a criterion; other kinds of check are hints for the meta-agent. */
export const checkCommand = ({ check }: Criterion): string | null =>
  check?.kind === "command" && check.command !== undefined && check.command.trim() !== ""
    ? check.command
    : null;

export function applyEvidence(criterion: Criterion, evidence: Evidence): void {
  criterion.evidence = evidence;
  criterion.passed = evidence.exitCode === 0;
  criterion.comment = `\`${evidence.command}\` exited ${evidence.exitCode}`;
}

/**
 * What the assessment says, applied. A failed check wins over everything; a criterion that is not mentioned keeps its
 * value; a verdict on the whole without a list speaks for every criterion that has no failed check.
 */
export function applyAssessment(
  criteria: readonly Criterion[],
  answer: CompletionAssessmentAnswer,
): void {
  const passedIds = answer.details?.passedCriteria;
  const hasList = answer.byCriterion.length > 0 || passedIds !== undefined;
  for (const criterion of criteria) {
    const said = answer.byCriterion.find(({ id }) => id === criterion.id);
    if (said?.comment) criterion.comment = withComment(criterion, said.comment);
    if (hasFailedCheck(criterion)) continue;
    if (said) criterion.passed = said.status === "passed";
    else if (passedIds?.includes(criterion.id)) criterion.passed = true;
    else if (!hasList && answer.allCriteriaSatisfied !== undefined)
      criterion.passed = answer.allCriteriaSatisfied;
  }
}

const hasFailedCheck = (criterion: Criterion): boolean =>
  checkCommand(criterion) !== null && criterion.evidence?.exitCode !== 0;

const withComment = (criterion: Criterion, comment: string): string =>
  criterion.evidence
    ? `\`${criterion.evidence.command}\` exited ${criterion.evidence.exitCode}; ${comment}`
    : comment;

export const failing = (criteria: readonly Criterion[]): Criterion[] =>
  criteria.filter(({ passed }) => !passed);

export const criterionResults = (criteria: readonly Criterion[]): CriterionResult[] =>
  criteria.map(({ id, description, passed, comment, evidence }) => ({
    id,
    description,
    passed,
    comment,
    evidence,
  }));
