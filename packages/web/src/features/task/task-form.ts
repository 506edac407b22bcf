import type { TaskView } from "@multiverse/protocol/http/task-view";
import { Effort, type PlanOperation } from "@multiverse/protocol/plan-patch";

/** A task's editable fields as a form holds them: lists one entry a line. */
export interface TaskForm {
  title: string;
  description: string;
  criteria: string;
  dependencies: string;
  phaseName: string;
  milestone: string;
  tags: string;
  effort: string;
  testCommand: string;
}

export const toForm = (task: TaskView): TaskForm => ({
  title: task.title,
  description: task.description,
  criteria: task.acceptanceCriteria.join("\n"),
  dependencies: task.dependencies.join("\n"),
  phaseName: task.phaseName,
  milestone: task.milestone,
  tags: task.tags.join(", "),
  effort: task.effort ?? "",
  testCommand: task.test?.command ?? "",
});

const lines = (text: string, by: RegExp): string[] =>
  text
    .split(by)
    .map((line) => line.trim())
    .filter((line) => line !== "");

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/** The one update operation that makes a task what the form says, with only the fields that changed. */
export function updateOperation(task: TaskView, form: TaskForm): PlanOperation | null {
  const criteria = lines(form.criteria, /\n/);
  const dependencies = lines(form.dependencies, /[\n,]/);
  const tags = lines(form.tags, /,/);
  const effort = Effort.safeParse(form.effort);
  const changes = {
    ...(form.title.trim() !== task.title && { title: form.title.trim() }),
    ...(form.description !== task.description && { description: form.description }),
    ...(!same(criteria, task.acceptanceCriteria) && { acceptanceCriteria: criteria }),
    ...(!same(dependencies, task.dependencies) && { dependencies }),
    ...(form.phaseName.trim() !== task.phaseName && { phaseName: form.phaseName.trim() }),
    ...(form.milestone.trim() !== task.milestone && { milestone: form.milestone.trim() }),
    ...(!same(tags, task.tags) && { tags }),
    ...(effort.success && effort.data !== task.effort && { estimatedEffort: effort.data }),
    ...(form.testCommand.trim() !== (task.test?.command ?? "") &&
      form.testCommand.trim() !== "" && {
        test: { command: form.testCommand.trim(), cwd: task.test?.cwd ?? "." },
      }),
  };
  return Object.keys(changes).length === 0
    ? null
    : { op: "update", taskId: task.nodeId, ...changes };
}

export const EFFORTS = Effort.options;
