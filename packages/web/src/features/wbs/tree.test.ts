import { describe, expect, test } from "vitest";
import { planState } from "../../testing/plan-fixture.ts";
import { PlanViewer } from "../../workspace/plan-view.ts";
import { dropPlace, moveOperations, nudgeOperations } from "./move.ts";
import { tallies } from "./tally.ts";
import { stepFor } from "./tree-keys.ts";
import { buildTree, visibleRows, type TreeItem } from "./tree.ts";

const state = planState([
  { id: "a", milestone: "M1", phase: "Design", state: "succeeded" },
  { id: "b", milestone: "M1", phase: "Build" },
  { id: "b1", parent: "b", milestone: "M1", phase: "Build", state: "failed" },
  { id: "c", milestone: "M2", phase: "Build" },
]);
const plan = new PlanViewer().view(state, 0);
const none: ReadonlySet<string> = new Set();

const outline = (items: readonly TreeItem[], closed = none) =>
  visibleRows(items, closed).map((row) => `${"  ".repeat(row.depth)}${row.item.label}`);
const find = (items: readonly TreeItem[], key: string): TreeItem => {
  const row = visibleRows(items, none).find((r) => r.item.key.endsWith(key));
  if (!row) throw new Error(`no row ${key}`);
  return row.item;
};

describe("the tree", () => {
  test("groups by milestone, then phase, with children below their parent", () => {
    expect(outline(buildTree(state, plan.cards, "milestone", null))).toEqual([
      "M1",
      "  Design",
      "    a",
      "  Build",
      "    b",
      "      b1",
      "M2",
      "  Build",
      "    c",
    ]);
  });

  test("sums what is below", () => {
    const sums = tallies(buildTree(state, plan.cards, "milestone", null), plan.cards);
    expect(Object.fromEntries(sums)).toMatchObject({
      "group:milestone:M1": { total: 3, done: 1, failed: 1, running: 0 },
      b: { total: 2, done: 0, failed: 1 },
    });
    expect(sums.has("a")).toBe(false);
  });

  test("a filter keeps the parents of what it lets through", () => {
    expect(outline(buildTree(state, plan.cards, "plan", new Set(["b1"])))).toEqual(["b", "  b1"]);
  });

  test("a closed branch hides its rows", () => {
    const tree = buildTree(state, plan.cards, "plan", null);
    expect(outline(tree, new Set(["b"]))).toEqual(["a", "b", "c"]);
  });

  test("grouping by status lists every task flat", () => {
    expect(
      outline(buildTree(state, plan.cards, "status", null)).filter((l) => l.startsWith(" ")).length,
    ).toBe(4);
  });
});

describe("moving in the tree", () => {
  const tree = buildTree(state, plan.cards, "milestone", null);

  test("the edge of a row means beside it, its middle means into it", () => {
    expect([dropPlace(2, 30), dropPlace(15, 30), dropPlace(28, 30)]).toEqual([
      "before",
      "into",
      "after",
    ]);
  });

  test("a drop becomes a move with one position", () => {
    expect(moveOperations(state, "c", find(tree, "a"), "before")).toEqual([
      { op: "move", taskId: "c", parentId: "node-root", position: { before: "a" } },
    ]);
    expect(moveOperations(state, "c", find(tree, "b"), "into")).toEqual([
      { op: "move", taskId: "c", parentId: "b" },
    ]);
  });

  test("a drop on a group changes the facets", () => {
    const group = tree.find((item) => item.label === "M2") as TreeItem;
    expect(moveOperations(state, "a", group, "into")).toEqual([
      { op: "update", taskId: "a", milestone: "M2" },
    ]);
  });

  test("nothing moves into its own subtree", () => {
    expect(moveOperations(state, "b", find(tree, "b1"), "into")).toBeNull();
    expect(moveOperations(state, "b", find(tree, "b"), "after")).toBeNull();
  });

  test("a nudge trades places with the neighbour and stops at the ends", () => {
    expect(nudgeOperations(state, "a", 1)).toEqual([
      { op: "move", taskId: "a", parentId: "node-root", position: { after: "b" } },
    ]);
    expect(nudgeOperations(state, "a", -1)).toBeNull();
  });
});

describe("keys in the tree", () => {
  const rows = visibleRows(buildTree(state, plan.cards, "plan", null), none);

  test("right opens or enters, left closes or leaves", () => {
    expect(stepFor("ArrowRight", rows, 1)).toEqual({ do: "go", to: 2 });
    expect(stepFor("ArrowLeft", rows, 1)).toEqual({ do: "toggle", open: false });
    expect(stepFor("ArrowLeft", rows, 2)).toEqual({ do: "go", to: 1 });
    expect(stepFor("Enter", rows, 0)).toEqual({ do: "open" });
    expect(stepFor("End", rows, 0)).toEqual({ do: "go", to: 3 });
  });
});
