import { expect, test } from "vitest";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { WorkerPool } from "@multiverse/protocol/worker-pools";
import { patchToFacts } from "../plan/patch-to-facts.ts";
import {
  after,
  AT,
  commit,
  conditions,
  create,
  emptyPlan,
  origin,
  planOf,
  started,
} from "../testing/states.ts";
import { defaultTotal } from "./capacity.ts";
import { schedule } from "./schedule.ts";

const run = (state: WorkspaceState) => commit(state, [{ kind: "execution.started", payload: {} }]);
const choose = (state: WorkspaceState, changes: Partial<Conditions> = {}, now = Date.parse(AT)) =>
  schedule(state, {
    now,
    conditions: { ...conditions, ...changes },
    candidates: [...state.tasks.keys()].sort(),
  });
const titles = (starts: ReturnType<typeof choose>) => starts.map(({ node }) => node.title);
const agents = (starts: ReturnType<typeof choose>) =>
  Object.fromEntries(starts.map(({ node, agentId }) => [node.title, agentId]));

const pool = (changes: Partial<WorkerPool>): WorkerPool => ({
  id: "default",
  name: "",
  description: "",
  agents: [],
  ...changes,
});
const withPools = (total: number, ...pools: WorkerPool[]) => ({
  total,
  pools,
});

test("nothing starts while execution is idle, but for a task somebody asked for", () => {
  const plan = planOf({ a: [], b: [] });
  expect(choose(plan)).toEqual([]);
  const asked = commit(plan, [
    {
      kind: "task.retry_scheduled",
      payload: { taskId: "task-0002", retryAt: AT, reason: "", cause: "requested" },
    },
  ]);
  expect(titles(choose(asked))).toEqual(["b"]);
});

test("what waits for a dependency, an answer or a retry is passed over", () => {
  const state = commit(run(planOf({ a: [], b: ["a"], c: [], d: [], e: [] })), [
    { kind: "task.blocked", payload: { taskId: "task-0003", backlogId: "bl" } },
    {
      kind: "task.retry_scheduled",
      payload: {
        taskId: "task-0004",
        retryAt: new Date(Date.parse(AT) + 1_000).toISOString(),
        reason: "",
        cause: "failure",
      },
    },
  ]);
  expect(titles(choose(state))).toEqual(["a", "e"]);
  expect(titles(choose(state, {}, Date.parse(AT) + 1_000))).toEqual(["a", "d", "e"]);
});

test.each([
  ["back an hour", -3_600_000],
  ["back 30 days", -30 * 86_400_000],
])("a clock set %s does not hold a retry back for that long", (_, jump) => {
  const retryAt = new Date(Date.parse(AT) + 5_000).toISOString();
  for (const cause of ["failure", "rate_limit"] as const) {
    const state = commit(run(planOf({ a: [] })), [
      {
        kind: "task.retry_scheduled",
        payload: { taskId: "task-0001", retryAt, reason: "", cause },
      },
    ]);
    const now = Date.parse(AT) + jump - (cause === "rate_limit" ? 600_000 : 0);
    expect(titles(choose(state, {}, now))).toEqual(["a"]);
  }
});

test("running tasks take slots, and the total is never exceeded", () => {
  const state = started(run(planOf({ a: [], b: [], c: [], d: [] })), "task-0001");
  expect(titles(choose(state, withPools(3, pool({}))))).toEqual(["b", "c"]);
  expect(choose(state, withPools(1, pool({})))).toEqual([]);
});

test("a pool's own limit leaves the slots to other pools", () => {
  const state = run(
    after(
      emptyPlan,
      create("code 1", { workType: "implementation" }),
      create("code 2", { workType: "implementation" }),
      create("test 1", { workType: "test" }),
    ),
  );
  const pools = [pool({ id: "codegen", maxParallel: 1 }), pool({ id: "test" }), pool({})];
  expect(titles(choose(state, withPools(8, ...pools)))).toEqual(["code 1", "test 1"]);
});

test("a task of a pool that does not exist runs in the default pool", () => {
  const state = run(after(emptyPlan, create("code", { workType: "implementation" })));
  const agent = { agentId: "a1", kind: "code", maxParallel: 1, capabilities: [] };
  expect(agents(choose(state, withPools(8, pool({ agents: [agent] }))))).toEqual({ code: "a1" });
});

test("agents take what they can do, up to their own limit", () => {
  const state = run(
    after(
      emptyPlan,
      create("go", { suggestedImpl: { language: "go", filePaths: [], constraints: [] } }),
      create("ts", { suggestedImpl: { language: "ts", filePaths: [], constraints: [] } }),
      create("ts too", { suggestedImpl: { language: "ts", filePaths: [], constraints: [] } }),
      create("tagged", { tags: ["css"] }),
    ),
  );
  const agent = (agentId: string, capabilities: string[], maxParallel = 1) => ({
    agentId,
    kind: "code",
    maxParallel,
    capabilities,
  });
  const only = pool({
    id: "codegen",
    agents: [agent("ts", ["ts"]), agent("web", ["css", "go"], 2)],
  });
  expect(agents(choose(state, withPools(8, only)))).toEqual({ go: "web", ts: "ts", tagged: "web" });
});

test("a task whose earlier run is still ending waits for that", () => {
  const state = run(planOf({ a: [], b: [] }));
  expect(titles(choose(state, { live: ["task-0001"] }))).toEqual(["b"]);
});

test("a closed gate starts nothing, a probe one", () => {
  const state = run(planOf({ a: [], b: [] }));
  expect(choose(state, { gate: { status: "closed", until: null } })).toEqual([]);
  expect(titles(choose(state, { gate: { status: "probe", until: null } }))).toEqual(["a"]);
});

const files = (...filePaths: string[]) => ({
  suggestedImpl: { language: "", filePaths, constraints: [] },
});

test("tasks share a working tree only if their files do not overlap", () => {
  const state = run(
    after(
      emptyPlan,
      create("list", files("src/list.ts")),
      create("folder", files("src/")),
      create("docs", files("docs/a.md")),
      create("unknown"),
    ),
  );
  expect(titles(choose(state, { parallel: "safe" }))).toEqual(["list", "docs"]);
  expect(choose(state, { parallel: "always" })).toHaveLength(4);
});

test("a task that names no files runs alone", () => {
  const state = run(after(emptyPlan, create("unknown"), create("docs", files("docs/a.md"))));
  expect(titles(choose(state, { parallel: "safe" }))).toEqual(["unknown"]);
  expect(choose(started(state, "task-0001"), { parallel: "safe" })).toEqual([]);
});

test("tasks the planner listed together do not run together, although their files differ", () => {
  const operations = [
    create("a", { ...files("a.ts"), tempId: "a" }),
    create("b", { ...files("b.ts"), tempId: "b" }),
    create("c", files("c.ts")),
  ];
  const potentialConflicts = [{ file: "x", tasks: ["a", "b"], warning: "" }];
  const patch = { operations, potentialConflicts };
  const state = run(commit(emptyPlan, patchToFacts(emptyPlan, patch, origin).facts));
  expect(titles(choose(state, { parallel: "safe" }))).toEqual(["a", "c"]);
});

test.each([
  [16, 64, 8, "most"],
  [8, 16, 8, "most"],
  [4, 64, 4, "cores"],
  [16, 6, 3, "memory"],
  [16, 1, 1, "memory"],
  [0, 0, 1, "cores"],
])("%d cores and %d GiB free carry %d tasks, limited by %s", (cores, gib, total, limitedBy) => {
  expect(defaultTotal(cores, gib * 1_073_741_824)).toEqual({ total, limitedBy });
});
