import { expect, test } from "vitest";
import { AT, commit, planOf } from "../testing/states.ts";
import { openGate, RateGate } from "./rate-gate.ts";

const HOUR = 3_600_000;

test("a limit closes the gate until its time, then lets one probe through", () => {
  const gate = new RateGate();
  expect(gate.status(0)).toBe("open");
  gate.limited(1_000, 0);
  expect(gate.status(999)).toBe("closed");
  expect(gate.opensIn(400)).toBe(600);
  expect(gate.status(1_000)).toBe("probe");
  expect(gate.opensIn(1_000)).toBeNull();
  gate.started("att-1", 1_000);
  expect(gate.status(1_001)).toBe("closed");
});

test("only the probe's own proof opens the gate", () => {
  const gate = new RateGate();
  gate.limited(10, 0);
  gate.proven("att-running-since-before");
  expect(gate.status(5)).toBe("closed");
  gate.started("att-probe", 10);
  gate.proven("att-running-since-before");
  expect(gate.status(11)).toBe("closed");
  gate.proven("att-probe");
  expect(gate.status(11)).toBe("open");
});

test("a probe that is limited too closes the gate again", () => {
  const gate = new RateGate();
  gate.limited(10, 0);
  gate.started("att-probe", 10);
  gate.limited(50, 12);
  expect(gate.status(61)).toBe("closed");
  expect(gate.status(62)).toBe("probe");
});

test("the longest of several limits counts, and none is believed for more than an hour", () => {
  const gate = new RateGate();
  gate.limited(5_000, 0);
  gate.limited(1_000, 0);
  expect(gate.opensIn(0)).toBe(5_000);
  gate.limited(1e12, 0);
  expect(gate.opensIn(0)).toBe(HOUR);
});

test("a limit whose time has passed already lets a probe through at once", () => {
  const gate = new RateGate();
  gate.limited(-5_000, 100);
  expect(gate.status(100)).toBe("probe");
});

test.each([
  ["in the future", 30_000, "closed"],
  ["in the past", -30_000, "open"],
])(
  "after a restart a limit %s is remembered from the tasks that wait for it",
  (_, left, status) => {
    const wall = Date.parse(AT);
    const retryAt = new Date(wall + left).toISOString();
    const state = commit(planOf({ a: [] }), [
      {
        kind: "task.retry_scheduled",
        payload: { taskId: "task-0001", retryAt, reason: "429", cause: "rate_limit" },
      },
    ]);
    expect(openGate(state, wall, 7).status(7)).toBe(status);
  },
);

test("a task that waits after a failure does not close the gate of a new process", () => {
  const wall = Date.parse(AT);
  const retryAt = new Date(wall + 30_000).toISOString();
  const state = commit(planOf({ a: [] }), [
    {
      kind: "task.retry_scheduled",
      payload: { taskId: "task-0001", retryAt, reason: "", cause: "failure" },
    },
  ]);
  expect(openGate(state, wall, 0).status(0)).toBe("open");
});
