import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layered, rankBoxes, type Box } from "./layered.ts";

const GAP = { gapX: 40, gapY: 10 };
const box = (id: string, after: string[] = []): Box => ({ id, after, width: 100, height: 50 });

/** A plan whose tasks wait only for earlier ones, so that it has no cycle. */
const plan = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 60 })
  .map((rows) =>
    rows.map((after, i) => box(`t${i}`, i === 0 ? [] : after.map((n) => `t${n % i}`))),
  );

describe("the layered layout", () => {
  test("puts a task right of everything it waits for", () => {
    fc.assert(
      fc.property(plan, (boxes) => {
        const { places } = layered(boxes, GAP);
        for (const { id, after } of boxes)
          for (const before of after)
            expect(places.get(before)?.x).toBeLessThan(places.get(id)?.x ?? -1);
      }),
    );
  });

  test("lets no two cards overlap and keeps all inside its size", () => {
    fc.assert(
      fc.property(plan, (boxes) => {
        const { places, width, height } = layered(boxes, GAP);
        const all = [...places.values()];
        all.forEach((a, i) => {
          expect(a.x >= 0 && a.x + 100 <= width && a.y >= 0 && a.y + 50 <= height).toBe(true);
          const below = all.slice(i + 1).filter((b) => a.x === b.x);
          expect(below.every((b) => Math.abs(a.y - b.y) >= 50)).toBe(true);
        });
      }),
    );
  });

  test("is the same for the same plan", () => {
    fc.assert(
      fc.property(plan, (boxes) => {
        expect(layered(boxes, GAP)).toEqual(layered(boxes, GAP));
      }),
    );
  });

  test("pulls a start next to what needs it", () => {
    const ranks = rankBoxes([
      box("a"),
      box("b", ["a"]),
      box("c", ["b"]),
      box("late"),
      box("d", ["c", "late"]),
    ]);
    expect(ranks.get("late")).toBe(2);
  });

  test("spreads tasks without connections over a block", () => {
    const { places } = layered(
      Array.from({ length: 300 }, (_, i) => box(`t${i}`)),
      GAP,
    );
    expect(new Set([...places.values()].map((p) => p.x)).size).toBe(10);
  });

  test("survives a cycle and a dependency that is not there", () => {
    const { places } = layered([box("a", ["b"]), box("b", ["a", "gone"])], GAP);
    expect(places.size).toBe(2);
  });

  test("keeps who was above above when the plan grows", () => {
    const before = layered([box("r"), box("x", ["r"]), box("y", ["r"])], GAP);
    const after = layered([box("r"), box("new", ["r"]), box("y", ["r"]), box("x", ["r"])], {
      ...GAP,
      previous: before.places,
    });
    expect(after.places.get("x")?.y).toBeLessThan(after.places.get("y")?.y ?? 0);
  });

  test("puts every task of a tangled plan of 5,000 right of what it waits for", () => {
    const boxes = Array.from({ length: 5_000 }, (_, i) =>
      box(
        `t${i}`,
        i === 0 ? [] : [1, 2, 3].map((k) => `t${Math.max(0, i - 1 - ((i * 7 * k) % 60))}`),
      ),
    );
    const { places } = layered(boxes, GAP);
    const x = (id: string): number => places.get(id)?.x ?? NaN;
    expect(boxes.filter(({ id, after }) => !after.every((other) => x(other) < x(id)))).toEqual([]);
  });
});
