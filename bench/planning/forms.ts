import type { DecomposeAnswer } from "@multiverse/protocol/meta/decompose";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { Meant, Request } from "./wanted.ts";

/** One task as it stands in an answer: fields by name, so that a slip can spoil any of them. */
export type Item = Record<string, unknown>;

/** An answer before it is text: its items, and how they are put together. */
export interface Form {
  readonly call: "plan_patch" | "decompose";
  item(task: Meant): Item;
  payload(request: Request, items: readonly Item[]): Record<string, unknown>;
}

const common = (task: Meant): Item => ({
  title: task.title,
  description: task.description,
  acceptance_criteria: [...task.criteria],
  dependencies: [...task.after],
  wbs_level: task.level,
  estimated_effort: task.effort,
  suggested_impl: { language: "typescript", file_paths: [...task.files] },
});
const understanding = ({ text }: Request): string => `I understood: ${text}`;

export const planPatchForm: Form = {
  call: "plan_patch",
  item: (task) => ({
    op: "create",
    temp_id: task.id,
    ...common(task),
    phase_name: task.phase,
    milestone: task.milestone,
    ...(task.priority ? { priority: task.priority } : {}),
    ...(task.test ? { test: { command: task.test } } : {}),
  }),
  payload: (request, operations) => ({
    understanding: understanding(request),
    operations,
    questions: request.question ? [{ ...request.question, blocking: true }] : [],
  }),
};

/** The older form has no word for priority, for a test command and for a question: they are left out, as a model would. */
export const decomposeForm: Form = {
  call: "decompose",
  item: (task) => ({ id: task.id, ...common(task), phase: task.phase, milestone: task.milestone }),
  payload: (request, items) => {
    const phases = new Map<unknown, Item[]>();
    for (const { phase, ...item } of items) phases.set(phase, [...(phases.get(phase) ?? []), item]);
    return {
      understanding: understanding(request),
      phases: [...phases].map(([name, tasks]) => ({
        ...(name === undefined ? {} : { name }),
        milestone: tasks[0]?.["milestone"],
        tasks: tasks.map(({ milestone: _milestone, ...item }) => item),
      })),
    };
  },
};

/** What a decompose answer means as a plan change. */
export const asOperations = ({ phases }: DecomposeAnswer): PlanOperation[] =>
  phases.flatMap(({ name, milestone, tasks }) =>
    tasks.map(({ id, ...task }): PlanOperation => ({
      op: "create",
      tempId: id,
      ...task,
      phaseName: name,
      milestone,
    })),
  );
