import { expect, test } from "vitest";
import { planState } from "../../testing/plan-fixture.ts";
import { planTotals } from "./plan-totals.ts";

test("criteria, files and cost are summed over the plan, a file that two tasks changed once", () => {
  const state = planState([
    { id: "a", title: "A", state: "succeeded", criteria: ["x", "y"], files: ["a.ts", "b.ts"] },
    { id: "b", title: "B", state: "failed", criteria: ["x", "y", "z"], files: ["b.ts"] },
    { id: "c", title: "C", criteria: ["x"] },
  ]);
  const { tookMs, usd, ...rest } = planTotals(state);
  expect(rest).toEqual({ criteriaPassed: 3, criteriaTotal: 5, files: 2 });
  expect(usd).toBeCloseTo(0.28);
  expect(tookMs).toBeGreaterThanOrEqual(0);
});

test("a plan in which nothing ran came to nothing", () => {
  expect(planTotals(planState([{ id: "a", title: "A" }]))).toEqual({
    criteriaPassed: 0,
    criteriaTotal: 0,
    files: 0,
    tookMs: null,
    usd: null,
  });
});
