import fc from "fast-check";
import { expect, test } from "vitest";
import { edgePath, EdgeRoutes } from "./edge-route.ts";
import { CARD, layoutPlan, type PlanItem } from "./plan-layout.ts";

const plan = fc
  .array(
    fc.record({ group: fc.constantFrom("a", "b"), after: fc.array(fc.nat(), { maxLength: 3 }) }),
    { minLength: 2, maxLength: 40 },
  )
  .map((rows) =>
    rows.map(({ group, after }, i): PlanItem => ({
      id: `t${i}`,
      group,
      after: i === 0 ? [] : [...new Set(after.map((n) => `t${n % i}`))],
    })),
  );

test("no level stretch of an edge crosses a card", () => {
  fc.assert(
    fc.property(plan, (items) => {
      const { places } = layoutPlan(items);
      const routes = new EdgeRoutes(places);
      for (const { id, after } of items)
        for (const before of after)
          for (const { from, to, y } of routes.between(before, id))
            for (const place of places.values()) {
              const beside = place.x + CARD.width <= from || place.x >= to;
              const apart = y <= place.y || y >= place.y + CARD.height;
              expect(beside || apart).toBe(true);
            }
    }),
  );
});

test("a card in the way is passed on the nearer side, and its neighbours' edges lie beside each other", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["between", { x: 264, y: 20 }],
    ["b", { x: 528, y: 0 }],
  ]);
  const routes = new EdgeRoutes(places);
  const [first] = routes.between("a", "b");
  const [second] = routes.between("a", "b");
  expect(first).toEqual({ from: 259, to: 489, y: 11 });
  expect(second?.y).toBe(15);
  expect(edgePath({ x: 220, y: 42 }, first ? [first] : [], { x: 528, y: 42 })).toBe(
    "M220,42C239.5,42 239.5,11 259,11H489C508.5,11 508.5,42 528,42",
  );
});

test("an edge to the next column, and one past a free place, is one curve", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 264, y: 300 }],
    ["c", { x: 528, y: 0 }],
  ]);
  const routes = new EdgeRoutes(places);
  expect([routes.between("a", "b"), routes.between("a", "c")]).toEqual([[], []]);
});
