import { expect, test } from "vitest";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { after, commit, create, emptyPlan, started } from "../testing/states.ts";
import { heldBecause } from "./held-because.ts";
import { defaultPools, type Capacity } from "./slots.ts";

const files = (...filePaths: string[]) => ({
  suggestedImpl: { language: "", filePaths, constraints: [] },
});
const plan = commit(
  after(
    emptyPlan,
    create("list", { ...files("src/list.ts"), tempId: "list" }),
    create("all", files("src")),
    create("docs", files("docs/a.md")),
    create("vague"),
    create("after", { dependencies: ["list"] }),
  ),
  [{ kind: "execution.started", payload: {} }],
);
const capacity: Capacity = { total: 2, pools: defaultPools, defaultAgent: "a" };
const held = (
  state: WorkspaceState,
  title: string,
  total = 2,
  parallel: "safe" | "always" = "safe",
) => {
  const node = [...state.nodes.values()].find((n) => n.title === title);
  return heldBecause(state, node?.id ?? "", { ...capacity, total }, parallel);
};
const listRuns = started(plan, "task-0001");

test("a task that can start at once is not held", () => {
  expect(held(plan, "list")).toBeNull();
  expect(held(listRuns, "docs")).toBeNull();
});

test("what holds a task is said by name", () => {
  expect(held(listRuns, "all")).toBe("conflicts with list, which is running");
  expect(held(listRuns, "vague")).toBe("names no files, so it runs alone; waiting for list");
  expect(held(started(plan, "task-0004"), "docs")).toBe(
    "waiting for vague, which names no files and runs alone",
  );
  expect(held(listRuns, "docs", 1)).toBe("waiting for a slot: all 1 are taken");
});

test("a full pool is named", () => {
  const pools = defaultPools.map((pool) => ({ ...pool, maxParallel: 1 }));
  const full = { ...capacity, total: 8, pools };
  expect(heldBecause(listRuns, "task-0003", full, "always")).toBe(
    "waiting for a slot in pool codegen",
  );
});

test("running everything at once lifts conflicts but not slots", () => {
  expect(held(listRuns, "all", 2, "always")).toBeNull();
  expect(held(listRuns, "all", 1, "always")).toContain("slot");
});

test("what waits for a dependency, for execution to start or runs already is not held", () => {
  expect(held(listRuns, "after")).toBeNull();
  expect(held(listRuns, "list")).toBeNull();
  const paused = commit(listRuns, [{ kind: "execution.paused", payload: { reason: "person" } }]);
  expect(held(paused, "all")).toBeNull();
});
