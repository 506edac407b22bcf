import { expect, test } from "vitest";
import { saveState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { after, AT, commit, planOf, started } from "../testing/states.ts";
import { recover } from "./recover.ts";

const ids = (state: WorkspaceState) => {
  const { adopt, stop } = recover(state);
  return { adopt: adopt.map((attempt) => attempt.id), stop: stop.map((attempt) => attempt.id) };
};
const plan = planOf({ a: [], b: [] });
const running = started(plan, "task-0001");

test("what history says is running is heard again", () => {
  expect(ids(running)).toEqual({ adopt: ["att-task-0001"], stop: [] });
});

test("a finished attempt is left alone", () => {
  const done = commit(running, [
    {
      kind: "attempt.finished",
      payload: {
        attemptId: "att-task-0001",
        taskId: "task-0001",
        status: "SUCCEEDED",
        finishedAt: AT,
        errorSummary: null,
        result: null,
      },
    },
    { kind: "task.succeeded", payload: { taskId: "task-0001", attemptId: "att-task-0001" } },
  ]);
  expect(ids(done)).toEqual({ adopt: [], stop: [] });
});

test("the run of a task that was deleted meanwhile is stopped", () => {
  const deleted = after(running, { op: "delete", taskId: "task-0001", cascade: false });
  expect(ids(deleted)).toEqual({ adopt: [], stop: ["att-task-0001"] });
});

test("a run from before a restore is stopped", () => {
  const restored = commit(running, [
    { kind: "snapshot.restored", payload: { snapshotId: "s", stateAt: saveState(plan) } },
  ]);
  expect(ids(restored)).toEqual({ adopt: [], stop: ["att-task-0001"] });
});
