import { describe, expect, test } from "vitest";
import { CARD, layoutPlan, type PlanItem, type PlanLayout } from "./plan-layout.ts";

const item = (id: string, group: string, after: string[] = []): PlanItem => ({ id, group, after });

function boxOf(layout: PlanLayout, name: string) {
  const box = layout.groups.find((group) => group.name === name);
  if (!box) throw new Error(`no group ${name}`);
  return box;
}

function isInside(layout: PlanLayout, id: string, name: string): boolean {
  const box = boxOf(layout, name);
  const place = layout.places.get(id) ?? { x: -1, y: -1 };
  return (
    place.x >= box.x &&
    place.y >= box.y &&
    place.x + CARD.width <= box.x + box.width &&
    place.y + CARD.height <= box.y + box.height
  );
}

describe("a plan with groups", () => {
  test("one group draws no box", () => {
    expect(layoutPlan([item("a", "M1"), item("b", "M1", ["a"])]).groups).toEqual([]);
  });

  test("a group that comes first stands left, with its tasks inside", () => {
    const layout = layoutPlan([item("a", "M1"), item("b", "M2", ["a"]), item("c", "M2", ["b"])]);
    expect(boxOf(layout, "M1").x + boxOf(layout, "M1").width).toBeLessThan(boxOf(layout, "M2").x);
    expect(["a", "b", "c"].map((id, i) => isInside(layout, id, i === 0 ? "M1" : "M2"))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("groups that need each other both ways become lanes that do not overlap", () => {
    const layout = layoutPlan([item("a", "X"), item("b", "Y", ["a"]), item("c", "X", ["b"])]);
    const [x, y] = [boxOf(layout, "X"), boxOf(layout, "Y")];
    expect(x.y + x.height).toBeLessThan(y.y);
    expect(isInside(layout, "c", "X") && isInside(layout, "b", "Y")).toBe(true);
    expect(layout.places.get("c")?.x).toBeGreaterThan(layout.places.get("b")?.x ?? 0);
  });
});
