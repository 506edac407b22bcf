import fc from "fast-check";
import { expect, test } from "vitest";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { after, create, emptyPlan, planOf } from "../testing/states.ts";
import { atOnce } from "../store/give-way.ts";
import { claims, compareClaims } from "./plan-order.ts";

const order = (state: WorkspaceState, weigh: (title: string) => number = () => 1): string[] => {
  const all = atOnce(claims(state, (_, node) => weigh(node.title)));
  return [...all.entries()]
    .sort(([, a], [, b]) => compareClaims(a, b))
    .map(([id]) => state.nodes.get(id)?.title ?? id);
};

test("the longest remaining path comes first, then plan order", () => {
  const state = planOf({ short: [], a: [], b: ["a"], c: ["b"], last: [] });
  expect(order(state)).toEqual(["a", "b", "short", "c", "last"]);
});

test("a heavy task outweighs a long chain of light ones", () => {
  const state = planOf({ a: [], b: ["a"], c: ["b"], heavy: [] });
  expect(order(state, (title) => (title === "heavy" ? 10 : 1))[0]).toBe("heavy");
});

test("a priority that someone set comes before any path", () => {
  const state = after(
    planOf({ a: [], b: ["a"], c: ["b"] }),
    create("low", { priority: "low" }),
    create("high", { priority: "high" }),
  );
  expect(order(state)).toEqual(["high", "low", "a", "b", "c"]);
});

test("plan order is the tree walked depth first, not the order of creation", () => {
  const state = after(
    emptyPlan,
    create("parent", { tempId: "p" }),
    create("last"),
    create("child", { parentId: "p" }),
  );
  expect(order(state)).toEqual(["parent", "child", "last"]);
});

test("a chain of 10,000 is no deep recursion", () => {
  const shape = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`t${i}`, i === 0 ? [] : [`t${i - 1}`]]),
  );
  expect(atOnce(claims(planOf(shape), () => 1)).get("task-0001")?.remaining).toBe(10_000);
});

test("a remaining path is the task's own weight and the longest path of its dependants", () => {
  const edges = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 15 });
  fc.assert(
    fc.property(edges, fc.array(fc.integer({ min: 1, max: 9 })), (graph, weights) => {
      const shape = Object.fromEntries(
        graph.map((picks, i) => [
          `t${i}`,
          i === 0 ? [] : [...new Set(picks.map((p) => `t${p % i}`))],
        ]),
      );
      const state = planOf(shape);
      const weightOf = (title: string) => weights[Number(title.slice(1))] ?? 1;
      const known = atOnce(claims(state, (_, node) => weightOf(node.title)));
      for (const node of state.nodes.values()) {
        if (node.id === "node-root") continue;
        const below = [...(state.index.dependants.get(node.id) ?? [])];
        const longest = Math.max(0, ...below.map((id) => known.get(id)?.remaining ?? 0));
        expect(known.get(node.id)?.remaining).toBe(weightOf(node.title) + longest);
      }
    }),
    { numRuns: 100 },
  );
});
