import { apply } from "@multiverse/protocol/apply/apply";
import type { NewFact } from "@multiverse/protocol/fact";
import { factToWire } from "@multiverse/protocol/fact-wire";
import { describe, expect, test } from "vitest";
import { after, planState, stamp } from "../testing/plan-fixture.ts";
import { PlanViewer } from "./plan-view.ts";
import { touchedTasks } from "./touched.ts";

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
    const plan = new PlanViewer().view(state, NOW);
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
    const viewer = new PlanViewer();
    const view = viewer.view.bind(viewer);
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
    const plan = new PlanViewer().view(state, Date.parse("2100-01-01T00:00:00Z"));
    expect(plan.cards.get("a")?.status).toBe("READY");
  });
});

describe("a known change", () => {
  test("gives the same view as looking at everything", () => {
    const viewer = new PlanViewer();
    const view = viewer.view.bind(viewer);
    const start = planState([
      { id: "a" },
      { id: "b", after: ["a"] },
      { id: "c", after: ["b"] },
      { id: "d" },
    ]);
    view(start, NOW);
    let state = start;
    const steps: readonly NewFact[] = [
      { kind: "node.updated", payload: { nodeId: "d", changes: { title: "D", milestone: "M" } } },
      { kind: "task.failed", payload: { taskId: "a", attemptId: null, reason: null, error: "no" } },
      { kind: "task.skipped", payload: { taskId: "a", dependantsProceed: true } },
      { kind: "node.updated", payload: { nodeId: "c", changes: { dependencies: [] } } },
      { kind: "execution.paused", payload: { reason: "person" } },
    ];
    for (const step of steps) {
      const facts = stamp(state, [step]);
      const next = apply(state, facts);
      const touched = touchedTasks(next, facts.map(factToWire));
      const seen = view(next, NOW, { from: state, to: next, touched });
      const { cards, counts, order } = new PlanViewer().view(next, NOW);
      expect(seen.cards).toEqual(cards);
      expect([seen.counts, seen.order]).toEqual([counts, order]);
      state = next;
    }
  });

  test("a change of status moves nothing in the drawing", () => {
    const viewer = new PlanViewer();
    const view = viewer.view.bind(viewer);
    const before = planState([{ id: "a" }, { id: "b", after: ["a"] }]);
    const first = view(before, NOW);
    const facts = stamp(before, [
      { kind: "task.skipped", payload: { taskId: "a", dependantsProceed: true } },
    ]);
    const to = apply(before, facts);
    const second = view(to, NOW, {
      from: before,
      to,
      touched: touchedTasks(to, facts.map(factToWire)),
    });
    expect(second.structure).toBe(first.structure);
    expect(second.progress).not.toBe(first.progress);
  });
});
