import { expect, test } from "vitest";
import { planState } from "../../testing/plan-fixture.ts";
import { PlanViewer } from "../../workspace/plan-view.ts";
import { criticalPath } from "./critical-path.ts";
import { walk } from "./walk.ts";
import { fitAll, keepPlace } from "./viewport.ts";
import { layoutPlan } from "./plan-layout.ts";

const cards = (tasks: Parameters<typeof planState>[0]) =>
  new PlanViewer().view(planState(tasks), 0).cards;

test("the critical path is the longest chain of unfinished work", () => {
  const path = criticalPath(
    cards([
      { id: "a", effort: "small" },
      { id: "b", after: ["a"], effort: "large" },
      { id: "c", after: ["a"], effort: "small" },
      { id: "d", after: ["b", "c"], effort: "small" },
    ]),
  );
  expect([[...path.ids].sort(), path.weight]).toEqual([["a", "b", "d"], 10]);
});

test("what is done no longer counts", () => {
  const path = criticalPath(
    cards([
      { id: "a", effort: "large", state: "succeeded" },
      { id: "b", after: ["a"], effort: "small" },
      { id: "c", effort: "medium" },
    ]),
  );
  expect([...path.ids]).toEqual(["c"]);
});

test("arrows follow the edges and the column", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 300, y: 0 }],
    ["c", { x: 300, y: 100 }],
  ]);
  const edges = {
    before: (id: string) => (id === "a" ? [] : ["a"]),
    after: (id: string) => (id === "a" ? ["b", "c"] : []),
  };
  expect(walk("a", "right", places, edges)).toBe("b");
  expect(walk("b", "down", places, edges)).toBe("c");
  expect(walk("c", "left", places, edges)).toBe("a");
  expect(walk("c", "down", places, edges)).toBeNull();
});

test("a new layout leaves the selected card where it was on the screen", () => {
  const size = { width: 800, height: 600 };
  const before = layoutPlan([{ id: "a", group: "", after: [] }]);
  const after = layoutPlan([
    { id: "z", group: "", after: [] },
    { id: "a", group: "", after: ["z"] },
  ]);
  const view = fitAll(before, size);
  const kept = keepPlace(view, before, after, "a", size);
  const on = (v: typeof view, layout: typeof before) =>
    (layout.places.get("a")?.x ?? 0) * v.zoom + v.x;
  expect(on(kept, after)).toBeCloseTo(on(view, before));
});
