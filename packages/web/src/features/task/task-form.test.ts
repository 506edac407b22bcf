import { viewTask } from "@multiverse/protocol/task-view";
import { expect, test } from "vitest";
import { planState } from "../../testing/plan-fixture.ts";
import { toForm, updateOperation } from "./task-form.ts";

const state = planState([{ id: "a", title: "A", criteria: ["one", "two"], tags: ["x"] }]);
const found = state.tasks.get("a");
if (!found) throw new Error("the fixture has no task");
const task = viewTask(state, found, 0);

test("an untouched form changes nothing", () => {
  expect(updateOperation(task, toForm(task))).toBeNull();
});

test("only what changed goes into the operation", () => {
  const form = { ...toForm(task), title: " B ", criteria: "one\n\nthree\n", effort: "small" };
  expect(updateOperation(task, form)).toEqual({
    op: "update",
    taskId: "a",
    title: "B",
    acceptanceCriteria: ["one", "three"],
    estimatedEffort: "small",
  });
});
