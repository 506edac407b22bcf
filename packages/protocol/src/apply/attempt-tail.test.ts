import { expect, test } from "vitest";
import type { Fact, NewFact } from "../fact.ts";
import { buildIndex } from "../index-state.ts";
import { ATTEMPT_TAIL, emptyState, type WorkspaceState } from "../state.ts";
import { apply } from "./apply.ts";
import { sampleNode, sampleTask } from "../testing/samples.ts";

const AT = "2026-01-01T00:00:00.000Z";
const add = (state: WorkspaceState, ...facts: NewFact[]): WorkspaceState =>
  apply(
    state,
    facts.map((fact, i) => {
      const seq = state.seq + i + 1;
      const stamp = { v: 1, seq, id: `act-${seq}`, at: AT, workspaceId: "ws", tx: "tx", i, n: 1 };
      return { by: "", ...fact, ...stamp } as Fact;
    }),
  );

const start = (number: number, taskId = "a"): NewFact => ({
  kind: "attempt.started",
  payload: {
    attempt: {
      id: `att-${taskId}-${number}`,
      taskId,
      number,
      epoch: 0,
      poolId: "default",
      agentId: "x",
      tool: "mock",
      model: "",
      traceId: "t",
      startedAt: AT,
    },
  },
});
const end = (number: number): NewFact => ({
  kind: "attempt.finished",
  payload: {
    attemptId: `att-a-${number}`,
    taskId: "a",
    status: "FAILED",
    finishedAt: AT,
    errorSummary: "",
    result: null,
  },
});
const run = (number: number): NewFact => ({
  kind: "task.started",
  payload: { taskId: "a", attemptId: `att-a-${number}` },
});

const plan = add(
  emptyState,
  { kind: "workspace.created", payload: { projectRoot: "/p", name: "p", wbsId: "w" } },
  { kind: "node.created", payload: { node: sampleNode("a"), parentId: "node-root", index: 0 } },
  { kind: "task.created", payload: { task: sampleTask("a") } },
);

test("a task run a hundred times keeps its newest attempts in the state, and counts them all", () => {
  let state = add(plan, start(1), start(1, "b"));
  for (let number = 2; number <= 100; number += 1)
    state = add(state, start(number), run(number), end(number));
  const ids = [...state.attempts.keys()];
  expect(ids).toHaveLength(ATTEMPT_TAIL + 1);
  expect(ids).toContain("att-a-100");
  expect(ids).toContain("att-a-1"); // it still runs, so it must be heard
  expect(ids).toContain("att-b-1"); // another task's
  expect(state.tasks.get("a")?.startCount).toBe(99);
  expect(state.index.attemptsOf.toJS()).toEqual(buildIndex(state).attemptsOf.toJS());
});
