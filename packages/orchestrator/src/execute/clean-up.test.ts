import { expect, test } from "vitest";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { failedResult } from "../testing/fake-runs.ts";
import { AT, commit, planOf, started } from "../testing/states.ts";
import { cleanUp, expiredAttempts } from "./clean-up.ts";

const minute = (n: number): string => new Date(Date.parse(AT) + n * 60_000).toISOString();

/** An attempt of the task that ended after so many minutes. */
const finished = (state: WorkspaceState, attemptId: string, taskId: string, at: number) =>
  commit(started(state, taskId, { attemptId }), [
    {
      kind: "attempt.finished",
      payload: {
        attemptId,
        taskId,
        status: "FAILED",
        finishedAt: minute(at),
        errorSummary: "e",
        result: failedResult(taskId),
      },
    },
    {
      kind: "task.retry_scheduled",
      payload: { taskId, retryAt: AT, reason: "", cause: "requested" },
    },
  ]);

const plan = planOf({ a: [], b: [] });
const four = [1, 2, 3, 4].reduce(
  (state, n) => finished(state, `att-${n}`, "task-0001", 10 - n),
  plan,
);
const present = ["att-1", "att-2", "att-3", "att-4", "unknown"];

test("the newest stay, the others may go", () => {
  expect(expiredAttempts(four, present, 2)).toEqual(["att-3", "att-4"]);
  expect(expiredAttempts(four, present, 4)).toEqual([]);
});

test("what runs, what is not there and what nobody knows is not touched", () => {
  const running = started(four, "task-0002", { attemptId: "att-now" });
  expect(expiredAttempts(running, ["att-now", "att-1", "unknown"], 0)).toEqual(["att-1"]);
});

test("the last attempt of a task that waits for a decision stays", () => {
  const failed = commit(four, [
    {
      kind: "task.failed",
      payload: { taskId: "task-0001", attemptId: "att-4", reason: null, error: "e" },
    },
  ]);
  expect(expiredAttempts(failed, present, 0)).toEqual(["att-1", "att-2", "att-3"]);
});

test("a file that cannot be removed is reported and stops nothing", async () => {
  const problems: string[] = [];
  const files = {
    list: async () => present,
    remove: async (id: string) => {
      if (id === "att-3") throw new Error("busy");
    },
  };
  const removed = await cleanUp(four, 1, files, (id) => problems.push(id));
  expect(removed).toEqual(["att-2", "att-4"]);
  expect(problems).toEqual(["att-3"]);
});
