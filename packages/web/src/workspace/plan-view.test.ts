import { describe, expect, test } from "vitest";
import { after, planState } from "../testing/plan-fixture.ts";
import { createPlanViewer } from "./plan-view.ts";

const NOW = Date.parse("2026-01-05T10:02:00.000Z");

describe("the view of a plan", () => {
  test("counts every status and keeps the order of the plan", () => {
    const state = planState([
      { id: "a", state: "succeeded" },
      { id: "b", after: ["a"], state: "running" },
      { id: "c", after: ["b"] },
      { id: "d", state: "failed" },
      { id: "e", after: ["d"] },
      { id: "f", state: "retry" },
    ]);
    const plan = createPlanViewer()(state, NOW);
    expect(plan.order).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect([...plan.cards.values()].map((card) => card.status)).toEqual([
      "SUCCEEDED",
      "RUNNING",
      "PENDING",
      "FAILED",
      "BLOCKED",
      "RETRY_WAIT",
    ]);
    expect([plan.total, plan.done, plan.counts.RUNNING]).toEqual([6, 1, 1]);
    expect(plan.nextRetryAt).toBe(Date.parse("2026-01-05T10:02:30.000Z"));
  });

  test("a card is the same object until something in it changes", () => {
    const view = createPlanViewer();
    const state = planState([{ id: "a" }, { id: "b" }]);
    const first = view(state, NOW);
    const second = view(
      after(state, [{ kind: "node.updated", payload: { nodeId: "b", changes: { title: "B" } } }]),
      NOW,
    );
    expect(second.cards.get("a")).toBe(first.cards.get("a"));
    expect(second.cards.get("b")).not.toBe(first.cards.get("b"));
    expect(second.cards.get("b")?.title).toBe("B");
  });

  test("a retry that is due becomes ready by the clock alone", () => {
    const state = planState([{ id: "a", state: "retry" }]);
    const plan = createPlanViewer()(state, Date.parse("2100-01-01T00:00:00Z"));
    expect(plan.cards.get("a")?.status).toBe("READY");
  });
});
