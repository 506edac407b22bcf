import { after, create, emptyPlan, origin, stamped } from "@multiverse/orchestrator/testing/states";
import { patchToFacts } from "@multiverse/orchestrator/plan/patch-to-facts";
import { isPlanFact } from "@multiverse/protocol/plan-change";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { expect, test } from "vitest";
import { changeLines, planChanges } from "./plan-changes.ts";

const factsOf = (state: WorkspaceState, ...operations: PlanOperation[]) => {
  const { facts } = patchToFacts(state, { operations, potentialConflicts: [] }, origin);
  return stamped(state, facts, { by: "person" }).filter(isPlanFact);
};

test("history as a list of changes: what came, changed, moved and went, by the titles of then", () => {
  const first = [create("a", { tempId: "a" }), create("b")];
  const one = after(emptyPlan, ...first);
  const rename: PlanOperation = { op: "update", taskId: "task-0001", title: "A\u001b[2J new" };
  const move: PlanOperation = { op: "move", taskId: "task-0002", position: { index: 0 } };
  const two = after(one, rename, move);
  const changes = planChanges([
    ...factsOf(emptyPlan, ...first),
    ...factsOf(one, rename, move),
    ...factsOf(two, { op: "delete", taskId: "task-0001", cascade: false }),
  ]);
  expect(changes.map(({ seq, at: _at, ...change }) => [seq > 0, change])).toEqual([
    [true, { by: "person", created: ["a", "b"], updated: [], moved: [], deleted: [] }],
    [true, { by: "person", created: [], updated: ["A\u001b[2J new"], moved: ["b"], deleted: [] }],
    [true, { by: "person", created: [], updated: [], moved: [], deleted: ["A\u001b[2J new"] }],
  ]);
  expect(changes[0]?.seq).toBe(one.seq);
  expect(changes.flatMap(changeLines).filter((line) => line.startsWith("  "))).toEqual([
    "  + a",
    "  + b",
    "  ~ A new",
    "  ↕ b",
    "  − A new",
  ]);
});

test("no facts, no changes", () => {
  expect(planChanges([])).toEqual([]);
});
