import { expect, test } from "vitest";
import { find } from "@multiverse/protocol/find";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { after, AT, commit, create, emptyPlan, started } from "../testing/states.ts";
import { learnDurations, LearnedDurations } from "./learned-durations.ts";

const plan = after(
  emptyPlan,
  create("small", { estimatedEffort: "small" }),
  create("large", { estimatedEffort: "large" }),
  create("unsaid"),
);
const of = (id: string) => [find(plan.tasks, id), find(plan.nodes, id)] as const;
const [small, large, unsaid] = [of("task-0001"), of("task-0002"), of("task-0003")];

test("before anything was measured, small, medium and large are 1, 3 and 8", () => {
  const { weigh } = new LearnedDurations();
  expect([weigh(...small), weigh(...unsaid), weigh(...large)]).toEqual([1, 3, 8]);
});

test("what was seen counts by its median, what was not is guessed from it", () => {
  const durations = new LearnedDurations();
  for (const seconds of [10, 1_000, 12]) durations.learn(...small, seconds);
  expect(durations.weigh(...small)).toBe(12);
  expect(durations.weigh(...large)).toBe(8 * 12);
  expect(durations.count).toBe(3);
});

test("only the newest measurements count", () => {
  const durations = new LearnedDurations();
  for (let i = 0; i < 40; i += 1) durations.learn(...small, 1);
  for (let i = 0; i < 20; i += 1) durations.learn(...small, 50);
  expect(durations.weigh(...small)).toBe(50);
});

const took = (state: WorkspaceState, taskId: string, seconds: number) => {
  const finishedAt = new Date(Date.parse(AT) + seconds * 1_000).toISOString();
  const attemptId = `att-${taskId}`;
  return commit(started(state, taskId), [
    {
      kind: "attempt.finished",
      payload: {
        attemptId,
        taskId,
        status: "SUCCEEDED",
        finishedAt,
        errorSummary: null,
        result: null,
      },
    },
    { kind: "task.succeeded", payload: { taskId, attemptId } },
  ]);
};

test("a new process knows what the attempts in the state have taught", () => {
  const { weigh, count } = learnDurations(took(plan, "task-0001", 20));
  expect([weigh(...small), weigh(...large), count]).toEqual([20, 160, 1]);
});

test("a duration that a clock set back made negative teaches nothing", () => {
  expect(learnDurations(took(plan, "task-0001", -3_600)).count).toBe(0);
});
