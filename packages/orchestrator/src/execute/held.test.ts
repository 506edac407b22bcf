import { heldBecause } from "@multiverse/protocol/scheduling/held-because";
import { heldBy } from "@multiverse/protocol/scheduling/held";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { WorkerPool } from "@multiverse/protocol/worker-pools";
import fc from "fast-check";
import { expect, test } from "vitest";
import { after, AT, commit, conditions, create, emptyPlan, started } from "../testing/states.ts";
import { schedule } from "./schedule.ts";

const files = (...filePaths: string[]) => ({
  suggestedImpl: { language: "", filePaths, constraints: [] },
});
const run = { kind: "execution.started", payload: {} } as const;
const idle = after(
  emptyPlan,
  create("list", { ...files("src/list.ts"), tempId: "list" }),
  create("all", files("src")),
  create("docs", files("docs/a.md")),
  create("vague"),
  create("after", { dependencies: ["list"] }),
);
const plan = commit(idle, [run]);
const listRuns = started(plan, "task-0001");

function held(state: WorkspaceState, title: string, changes: Partial<Conditions> = {}) {
  const node = [...state.nodes.values()].find((n) => n.title === title);
  const task = state.tasks.get(node?.id ?? "");
  const around: Conditions = { ...conditions, total: 2, parallel: "safe", ...changes };
  const found = task ? heldBy(state, task, around, Date.parse(AT)) : null;
  return found && heldBecause(found);
}

test("a task that can start at once is not held", () => {
  expect(held(plan, "list")).toBeNull();
  expect(held(listRuns, "docs")).toBeNull();
});

test("a conflict names the task that runs and the files they share", () => {
  expect(held(listRuns, "all")).toBe("conflicts with list, which is running (src/list.ts)");
  expect(held(listRuns, "vague")).toBe("names no files, so it runs alone; waiting for list");
  expect(held(started(plan, "task-0004"), "docs")).toBe(
    "waiting for vague, which names no files and runs alone",
  );
});

test("when all slots are taken it is said what limits them", () => {
  const memory: Partial<Conditions> = { total: 1, limitedBy: "memory" };
  expect(held(listRuns, "docs", memory)).toBe(
    "waiting for a slot: all 1 are taken (limited by free memory)",
  );
});

const pool = (more: Partial<WorkerPool>): Partial<Conditions> => ({
  total: 8,
  parallel: "always",
  pools: [{ id: "codegen", name: "", description: "", agents: [], ...more }],
});
const agent = (capabilities: string[]) => ({
  agentId: "a1",
  kind: "code",
  maxParallel: 1,
  capabilities,
});

test("a full pool, busy agents and a capability that nobody has are told apart", () => {
  expect(held(listRuns, "docs", pool({ maxParallel: 1 }))).toBe(
    "waiting for a slot in pool codegen: all 1 are taken",
  );
  const busy = started(plan, "task-0001", { agentId: "a1" });
  expect(held(busy, "docs", pool({ agents: [agent([])] }))).toBe(
    "waiting for an agent of pool codegen: all that can do this are busy",
  );
  expect(held(plan, "docs", pool({ agents: [agent(["cobol"])] }))).toContain(
    "no agent of pool codegen can do implementation",
  );
});

test("a rate limit and an earlier run on its way out are named", () => {
  const gate = { status: "closed", until: "2026-01-01T00:01:00.000Z" } as const;
  expect(held(plan, "list", { gate })).toBe(
    "a rate limit holds everything until 2026-01-01T00:01:00.000Z",
  );
  expect(held(plan, "list", { live: ["task-0001"] })).toBe("waiting for its earlier run to end");
});

test("execution that is idle or paused is what holds everything but a task somebody asked for", () => {
  expect(held(idle, "list")).toBe("execution has not been started");
  const paused = commit(plan, [{ kind: "execution.paused", payload: { reason: "question" } }]);
  expect(held(paused, "list")).toBe("execution is paused for a question");
  const payload = { taskId: "task-0001", retryAt: AT, reason: "", cause: "requested" } as const;
  expect(held(commit(idle, [{ kind: "task.retry_scheduled", payload }]), "list")).toBeNull();
});

test("what waits for a dependency or its retry time, or runs already, is not held", () => {
  expect(held(listRuns, "after")).toBeNull();
  expect(held(listRuns, "list")).toBeNull();
  const retryAt = new Date(Date.parse(AT) + 5_000).toISOString();
  const payload = { taskId: "task-0003", retryAt, reason: "", cause: "failure" } as const;
  expect(held(commit(idle, [{ kind: "task.retry_scheduled", payload }]), "docs")).toBeNull();
});

const situations = fc.record({
  running: fc.subarray(["task-0001", "task-0002", "task-0003", "task-0004"], { maxLength: 3 }),
  total: fc.integer({ min: 1, max: 4 }),
  parallel: fc.constantFrom("safe" as const, "always" as const),
  gate: fc.constantFrom("open" as const, "closed" as const),
  execution: fc.constantFrom(idle, plan),
});

test("a task is held exactly when the scheduler would not start it if it came first", () => {
  fc.assert(
    fc.property(situations, ({ running, total, parallel, gate, execution }) => {
      const state = running.reduce((before, id) => started(before, id), execution);
      const around = { ...conditions, total, parallel, gate: { status: gate, until: null } };
      for (const id of state.index.runnable) {
        const task = state.tasks.get(id);
        const input = { now: Date.parse(AT), conditions: around, candidates: [id] };
        const starts = schedule(state, input).length === 1;
        expect(task && heldBy(state, task, around, Date.parse(AT)) === null).toBe(starts);
      }
    }),
  );
});
