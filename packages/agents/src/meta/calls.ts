import { BuildTaskAnswer } from "@multiverse/protocol/meta/build-task";
import { CompletionAssessmentAnswer } from "@multiverse/protocol/meta/completion-assessment";
import { DecomposeAnswer } from "@multiverse/protocol/meta/decompose";
import { NextActionAnswer } from "@multiverse/protocol/meta/next-action";
import { PlanTaskAnswer } from "@multiverse/protocol/meta/plan-task";
import { PlanPatch } from "@multiverse/protocol/plan-patch";
import { z } from "zod";
import { BUILD_TASK, BUILD_TASK_SHAPE } from "./prompts/build-task.ts";
import {
  COMPLETION_ASSESSMENT,
  COMPLETION_ASSESSMENT_SHAPE,
} from "./prompts/completion-assessment.ts";
import { DECOMPOSE, DECOMPOSE_SHAPE } from "./prompts/decompose.ts";
import { NEXT_ACTION, NEXT_ACTION_SHAPE } from "./prompts/next-action.ts";
import { PLAN_PATCH, PLAN_PATCH_SHAPE } from "./prompts/plan-patch.ts";
import { PLAN_TASK, PLAN_TASK_SHAPE } from "./prompts/plan-task.ts";

/** An answer in which ids name things must not use one twice: nothing could tell the two apart afterwards. */
const PlanTaskChecked = PlanTaskAnswer.refine(
  ({ acceptance_criteria }) => !hasTwice(acceptance_criteria.map(({ id }) => id)),
  { message: "each criterion needs an id of its own", path: ["acceptance_criteria"] },
);
const DecomposeChecked = DecomposeAnswer.refine(
  ({ phases }) => !hasTwice(phases.flatMap(({ tasks }) => tasks.map(({ id }) => id))),
  { message: "each task needs an id of its own", path: ["phases"] },
);

/** An answer that says nothing is no answer, and a list under another name must not pass for an empty plan change. */
const PlanPatchChecked = z
  .looseObject(PlanPatch.shape)
  .superRefine((patch, ctx) => {
    const problem = emptiness(patch);
    if (problem !== null) ctx.addIssue({ code: "custom", path: ["operations"], message: problem });
  })
  .transform(({ understanding, operations, potential_conflicts, questions }) => ({
    understanding,
    operations,
    potential_conflicts,
    questions,
  }));

function emptiness(patch: z.output<typeof PlanPatch>): string | null {
  const { understanding, operations, potential_conflicts: _, questions, ...others } = patch;
  if (operations.length > 0) return null;
  const stray = Object.entries(others).find(([, value]) => Array.isArray(value) && value.length);
  if (stray)
    return `is empty, but there is a list under ${JSON.stringify(stray[0].slice(0, 80))}: changes go into "operations"`;
  const saysNothing = understanding.trim() === "" && questions.length === 0;
  return saysNothing ? "is empty, and so are understanding and questions" : null;
}

/** What each call asks with and what its answer has to be. */
export const CALLS = {
  plan_task: { schema: PlanTaskChecked, system: PLAN_TASK, shape: PLAN_TASK_SHAPE },
  next_action: { schema: NextActionAnswer, system: NEXT_ACTION, shape: NEXT_ACTION_SHAPE },
  completion_assessment: {
    schema: CompletionAssessmentAnswer,
    system: COMPLETION_ASSESSMENT,
    shape: COMPLETION_ASSESSMENT_SHAPE,
  },
  decompose: { schema: DecomposeChecked, system: DECOMPOSE, shape: DECOMPOSE_SHAPE },
  plan_patch: { schema: PlanPatchChecked, system: PLAN_PATCH, shape: PLAN_PATCH_SHAPE },
  build_task: { schema: BuildTaskAnswer, system: BUILD_TASK, shape: BUILD_TASK_SHAPE },
} as const;

function hasTwice(ids: readonly (string | undefined)[]): boolean {
  const given = ids.filter((id) => id !== undefined).map((id) => id.toLowerCase());
  return new Set(given).size < given.length;
}
