import { describe, expect, it } from "vitest";
import { apply } from "./apply/apply.ts";
import { sampleNode, sampleTask } from "./testing/samples.ts";
import type { Fact, NewFact } from "./fact.ts";
import { emptyState, type WorkspaceState } from "./state.ts";
import { blockedBecause, statusOf } from "./status.ts";

const NOW = Date.parse("2026-01-01T12:00:00.000Z");
const LATER = "2026-01-01T12:00:05.000Z";

function after(...facts: NewFact[]): WorkspaceState {
  const created: NewFact = {
    kind: "workspace.created",
    payload: { projectRoot: "/p", name: "p", wbsId: "w" },
  };
  const all = [created, node("a"), task("a"), node("b", ["a"]), task("b"), ...facts];
  return apply(emptyState, all.map(stamp));
}

const stamp = (fact: NewFact, i: number): Fact => ({
  ...fact,
  v: 1,
  seq: i + 1,
  id: `act-${i}`,
  at: "2026-01-01T12:00:00.000Z",
  workspaceId: "ws",
  by: "test",
  tx: `tx-${i}`,
  i: 0,
  n: 1,
});
const node = (id: string, dependencies: string[] = []): NewFact => ({
  kind: "node.created",
  payload: { node: sampleNode(id, { dependencies }), parentId: "node-root", index: 0 },
});
const task = (id: string, nodeId = id): NewFact => ({
  kind: "task.created",
  payload: { task: sampleTask(id, { nodeId }) },
});
const started: NewFact = { kind: "execution.started", payload: {} };
const status = (state: WorkspaceState, id: string, now = NOW): string => {
  const found = state.tasks.get(id);
  return found ? statusOf(state, found, now) : "none";
};
const because = (state: WorkspaceState, id: string): string | null => {
  const found = state.tasks.get(id);
  return found ? blockedBecause(state, found) : "none";
};

describe("a task's status follows from the facts and the clock", () => {
  it("waits until execution runs, and then for what it depends on", () => {
    expect(status(after(), "a")).toBe("PENDING");
    expect([status(after(started), "a"), status(after(started), "b")]).toEqual([
      "READY",
      "PENDING",
    ]);
    const done: NewFact = {
      kind: "node.status_updated",
      payload: { nodeId: "a", from: "planned", to: "verified" },
    };
    expect(status(after(started, done), "b")).toBe("READY");
  });

  it("shows a failed dependency as BLOCKED because of it", () => {
    const failed: NewFact = {
      kind: "task.failed",
      payload: { taskId: "a", attemptId: null, reason: null, error: "" },
    };
    const state = after(started, failed);
    expect([status(state, "a"), status(state, "b")]).toEqual(["FAILED", "BLOCKED"]);
    expect(because(state, "b")).toBe("waiting for a (failed)");
    expect(because(after(started), "b")).toBe("waiting for a (unfinished)");
  });

  it("is RETRY_WAIT until its time has come", () => {
    const retry: NewFact = {
      kind: "task.retry_scheduled",
      payload: { taskId: "a", retryAt: LATER, reason: "", cause: "failure" },
    };
    const state = after(started, retry);
    expect([status(state, "a"), status(state, "a", Date.parse(LATER))]).toEqual([
      "RETRY_WAIT",
      "READY",
    ]);
  });

  it("is BLOCKED while a question is open, and so is who depends on it", () => {
    const state = after(started, {
      kind: "task.blocked",
      payload: { taskId: "a", backlogId: "bl-1" },
    });
    expect([status(state, "a"), status(state, "b")]).toEqual(["BLOCKED", "BLOCKED"]);
    expect(because(state, "a")).toBe("waiting for an answer: bl-1");
  });

  it("lets dependants of a skipped task proceed only if told", () => {
    const skip = (dependantsProceed: boolean): NewFact => ({
      kind: "task.skipped",
      payload: { taskId: "a", dependantsProceed },
    });
    expect(status(after(started, skip(false)), "b")).toBe("BLOCKED");
    expect(status(after(started, skip(true)), "b")).toBe("READY");
  });

  it("runs a task that someone asked for even while nothing else runs", () => {
    const ask: NewFact = {
      kind: "task.retry_scheduled",
      payload: {
        taskId: "a",
        retryAt: "2026-01-01T11:00:00.000Z",
        reason: "asked",
        cause: "requested",
      },
    };
    expect([status(after(ask), "a"), status(after(ask), "b")]).toEqual(["READY", "PENDING"]);
  });

  it("makes a further task of a node wait for the node itself", () => {
    const done: NewFact = {
      kind: "node.status_updated",
      payload: { nodeId: "a", from: "planned", to: "implemented" },
    };
    expect(status(after(started, task("a-test", "a")), "a-test")).toBe("PENDING");
    expect(status(after(started, task("a-test", "a"), done), "a-test")).toBe("READY");
  });
});
