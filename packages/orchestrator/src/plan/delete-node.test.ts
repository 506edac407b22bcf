import { planProblems } from "@multiverse/protocol/plan-problems";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { expect, test } from "vitest";
import { after, commit, create, emptyPlan, origin } from "../testing/states.ts";
import { patchToFacts } from "./patch-to-facts.ts";

/** `top` with children, each with children of its own, and a task outside that depends on all of them. */
function forest(children: number, grandchildren: number) {
  const below = Array.from({ length: children }, (_, i) => [
    create(`c${i}`, { tempId: `c${i}`, parentId: "top" }),
    ...Array.from({ length: grandchildren }, (__, k) =>
      create(`g${i}-${k}`, { parentId: `c${i}` }),
    ),
  ]).flat();
  const dependencies = Array.from({ length: children }, (_, i) => `c${i}`);
  return after(
    emptyPlan,
    create("top", { tempId: "top" }),
    ...below,
    create("outside", { dependencies }),
  );
}

const deletion: PlanOperation[] = [{ op: "delete", taskId: "task-0001", cascade: true }];
const patch = { operations: deletion, potentialConflicts: [] };

test.each([
  ["small", 3, 3, 1],
  ["wide", 400, 0, 401],
  ["deep", 5, 90, 6],
  ["large in its parts", 2, 200, 403],
])("a subtree that is %s goes as a whole, in parts of a bounded size", (_, wide, deep, facts) => {
  const before = forest(wide, deep);
  const change = patchToFacts(before, patch, origin);
  expect(change.facts).toHaveLength(facts);
  expect(change.deleted).toHaveLength(1 + wide + wide * deep);
  let state = before;
  for (const fact of change.facts) {
    const next = commit(state, [fact]);
    expect(state.nodes.size - next.nodes.size).toBeLessThanOrEqual(100);
    state = next;
  }
  expect([...state.nodes.values()].map(({ title }) => title).sort()).toEqual(["", "outside"]);
  expect(planProblems(state)).toEqual([]);
});
