import { z } from "zod";
import type { Camel } from "./case.ts";
import { facetShape } from "./facets.ts";
import { Id } from "./id.ts";
import { LIMITS } from "./limits.ts";
import { SuggestedImpl, TestCommand } from "./suggested-impl.ts";
import { Path, Text, Title } from "./text.ts";

/** What the meta-agent answers to a chat message: a difference to the plan (spec page 70). */

export const Effort = z.enum(["small", "medium", "large"]);
export type Effort = z.infer<typeof Effort>;
export const Priority = z.enum(["high", "medium", "low"]);
export type Priority = z.infer<typeof Priority>;

/** A criterion is a sentence. A model may also give it with its check; then the check becomes part of the sentence. */
export const CriterionText = z.union([
  Text.min(1),
  z
    .looseObject({
      description: Text.min(1),
      check: z.looseObject({ command: z.string().optional() }).optional(),
    })
    .transform(({ description, check }) =>
      check?.command ? `${description} (check: \`${check.command}\`)` : description,
    ),
]);

/** Exactly one of the three; naming two is refused. */
export const Position = z
  .strictObject({ index: z.int().optional(), before: Id.optional(), after: Id.optional() })
  .refine((p) => [p.index, p.before, p.after].filter((x) => x !== undefined).length === 1, {
    message: "position takes exactly one of index, before, after",
  });
export type Position = z.output<typeof Position>;

/** The fields that create and update share; all optional, since update is partial. */
const fields = {
  title: Title.optional(),
  description: Text.optional(),
  acceptance_criteria: z.array(CriterionText).max(LIMITS.criteria).optional(),
  dependencies: z.array(Id).max(LIMITS.dependencies).optional(),
  wbs_level: facetShape.wbs_level.optional(),
  phase_name: facetShape.phase_name.optional(),
  milestone: facetShape.milestone.optional(),
  work_type: facetShape.work_type.optional(),
  domain: facetShape.domain.optional(),
  tags: facetShape.tags.optional(),
  estimated_effort: Effort.optional(),
  suggested_impl: SuggestedImpl.optional(),
  test: TestCommand.optional(),
  priority: Priority.optional(),
};

const CreateOperation = z.object({
  op: z.literal("create"),
  temp_id: Id.optional(),
  ...fields,
  parent_id: Id.optional(),
  position: Position.optional(),
});
const UpdateOperation = z.object({ op: z.literal("update"), task_id: Id, ...fields });
const MoveOperation = z.object({
  op: z.literal("move"),
  task_id: Id,
  parent_id: Id.optional(),
  position: Position.optional(),
});
const DeleteOperation = z.object({
  op: z.literal("delete"),
  task_id: Id,
  cascade: z.boolean().default(false),
});

export const PlanOperation = z.discriminatedUnion("op", [
  CreateOperation,
  UpdateOperation,
  MoveOperation,
  DeleteOperation,
]);
export type PlanOperation = Camel<z.output<typeof PlanOperation>>;

export const PlanQuestion = z.object({
  id: Id.optional(),
  text: Text.min(1),
  options: z.array(z.string().max(1_000)).max(LIMITS.options).default([]),
  blocking: z.boolean().default(true),
  default: z.string().max(1_000).optional(),
});
export type PlanQuestion = Camel<z.output<typeof PlanQuestion>>;

/** Tasks the planner would rather not see running at the same time. */
export const PotentialConflict = z.object({
  file: Path.default(""),
  tasks: z.array(z.string().max(LIMITS.idLength)).max(LIMITS.dependencies).default([]),
  warning: Text.default(""),
});

export const PlanPatch = z.object({
  understanding: Text.default(""),
  operations: z.array(PlanOperation).max(LIMITS.operations).default([]),
  potential_conflicts: z.array(PotentialConflict).max(LIMITS.operations).default([]),
  questions: z.array(PlanQuestion).max(LIMITS.questions).default([]),
});
export type PlanPatch = Camel<z.output<typeof PlanPatch>>;
