import fc from "fast-check";
import { expect, test } from "vitest";
import { MultiverseError } from "@multiverse/protocol/error";
import { buildIndex } from "@multiverse/protocol/index-state";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import { PlanPatch, type PlanOperation } from "@multiverse/protocol/plan-patch";
import { toCamel } from "@multiverse/protocol/case";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { after, commit, create, emptyPlan as empty, origin } from "../testing/states.ts";
import { patchToFacts } from "./patch-to-facts.ts";

const change = (state: WorkspaceState, ...operations: PlanOperation[]) =>
  patchToFacts(state, { operations, potentialConflicts: [] }, origin);
const tree = (state: WorkspaceState, id: string = ROOT_ID): unknown =>
  Object.fromEntries(
    (state.nodes.get(id)?.children ?? []).map((child) => [
      state.nodes.get(child)!.title,
      tree(state, child),
    ]),
  );

const three = after(
  empty,
  create("a", { tempId: "a" }),
  create("b", { tempId: "b", parentId: "a" }),
  create("c", { tempId: "c", parentId: "a", dependencies: ["b"] }),
);

test("creates nodes and tasks under real ids, with temp ids resolved", () => {
  expect([...three.nodes.keys()].sort()).toEqual([
    "node-root",
    "task-0001",
    "task-0002",
    "task-0003",
  ]);
  expect(three.nodes.get("task-0003")?.dependencies).toEqual(["task-0002"]);
  expect(tree(three)).toEqual({ a: { b: {}, c: {} } });
});

test("a task may depend on one that the same patch creates later", () => {
  const state = after(
    empty,
    create("first", { dependencies: ["later"] }),
    create("second", { tempId: "later" }),
  );
  expect(state.nodes.get("task-0001")?.dependencies).toEqual(["task-0002"]);
  expect(state.index.unmet.get("task-0001")).toBe(1);
});

test("without a title the first words of the description name the task", () => {
  expect(
    after(empty, {
      op: "create",
      description: "write the docs for everybody who asks why it works",
    }).nodes.get("task-0001")?.title,
  ).toBe("write the docs for everybody who asks why");
});

test("deleting without cascade lets the children take the place, in order", () => {
  const state = after(
    empty,
    create("x"),
    create("a", { tempId: "a" }),
    create("y"),
    create("b", { parentId: "a" }),
    create("c", { parentId: "a" }),
  );
  const gone = after(state, { op: "delete", taskId: "task-0002", cascade: false });
  expect(Object.keys(tree(gone) as object)).toEqual(["x", "b", "c", "y"]);
});

test("deleting with cascade takes the subtree, and nobody depends on it any more", () => {
  const state = after(three, create("d", { dependencies: ["task-0002"] }));
  const gone = after(state, { op: "delete", taskId: "task-0001", cascade: true });
  expect(tree(gone)).toEqual({ d: {} });
  expect(gone.nodes.get("task-0004")?.dependencies).toEqual([]);
  expect(gone.index.runnable.has("task-0004")).toBe(true);
});

test("an update is partial; lists replace the whole list and an empty one clears", () => {
  const state = after(three, {
    op: "update",
    taskId: "task-0003",
    dependencies: [],
    acceptanceCriteria: ["works"],
  });
  expect(state.nodes.get("task-0003")).toMatchObject({
    title: "c",
    dependencies: [],
    acceptanceCriteria: ["works"],
  });
});

test("a move changes parent and place; an index beyond the end is clamped", () => {
  const state = after(three, {
    op: "move",
    taskId: "task-0003",
    parentId: ROOT_ID,
    position: { index: 99 },
  });
  expect(tree(state)).toEqual({ a: { b: {} }, c: {} });
  expect(
    Object.keys(
      tree(
        after(state, { op: "move", taskId: "task-0003", position: { before: "task-0001" } }),
      ) as object,
    ),
  ).toEqual(["c", "a"]);
});

test.each<[string, PlanOperation[], RegExp]>([
  ["an unknown task", [{ op: "update", taskId: "nope", title: "x" }], /no task "nope"/],
  ["an unknown dependency", [create("x", { dependencies: ["nope"] })], /depends on "nope"/],
  ["an unknown parent", [create("x", { parentId: "nope" })], /no parent "nope"/],
  [
    "a task that depends on itself",
    [{ op: "update", taskId: "task-0001", dependencies: ["task-0001"] }],
    /depend on itself/,
  ],
  [
    "a cycle",
    [{ op: "update", taskId: "task-0002", dependencies: ["task-0003"] }],
    /cycle: .*task-0002.*task-0003|cycle: .*task-0003.*task-0002/,
  ],
  [
    "a cycle through temp ids",
    [
      create("x", { tempId: "x", dependencies: ["y"] }),
      create("y", { tempId: "y", dependencies: ["x"] }),
    ],
    /cycle/,
  ],
  [
    "duplicate temp ids",
    [create("x", { tempId: "t" }), create("y", { tempId: "T" })],
    /used twice/,
  ],
  ["a temp id that exists", [create("x", { tempId: "TASK-0001" })], /existing task/],
  [
    "a move into its own subtree",
    [{ op: "move", taskId: "task-0001", parentId: "task-0002" }],
    /own subtree/,
  ],
  [
    "a place beside a non-sibling",
    [{ op: "move", taskId: "task-0001", parentId: ROOT_ID, position: { after: "task-0002" } }],
    /not a child/,
  ],
  ["moving the root", [{ op: "move", taskId: ROOT_ID }], /root/],
  ["deleting the root", [{ op: "delete", taskId: ROOT_ID, cascade: true }], /root/],
  ["depending on the root", [create("x", { dependencies: [ROOT_ID] })], /root/],
  ["a task without title and description", [{ op: "create" }], /title or a description/],
  [
    "a path that leaves the project",
    [
      create("x", {
        suggestedImpl: { language: "", filePaths: ["../../etc/passwd"], constraints: [] },
      }),
    ],
    /leaves the project/,
  ],
  ["an update that changes nothing", [{ op: "update", taskId: "task-0001" }], /changes nothing/],
  [
    "a valid operation followed by a bad one",
    [create("fine"), { op: "delete", taskId: "nope", cascade: false }],
    /no task "nope"/,
  ],
])("%s refuses the whole patch with the reason", (_, operations, reason) => {
  expect(() => change(three, ...operations)).toThrow(reason);
});

test("two position keys are refused at the edge", () => {
  const patch = { operations: [{ op: "move", task_id: "a", position: { index: 0, before: "b" } }] };
  expect(PlanPatch.safeParse(patch).success).toBe(false);
});

test("tasks listed together in potential_conflicts know of each other", () => {
  const patch = {
    operations: [create("x", { tempId: "x" }), create("y", { tempId: "y" })],
    potentialConflicts: [{ file: "a", tasks: ["x", "y", "ghost"], warning: "" }],
  };
  const state = commit(empty, patchToFacts(empty, patch, origin).facts);
  expect(state.nodes.get("task-0001")?.conflictsWith).toEqual(["task-0002"]);
  expect(state.nodes.get("task-0002")?.conflictsWith).toEqual(["task-0001"]);
});

/** Ids that may or may not exist when the operation comes up, so that many patches are refused. */
const anyId = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((n) => `task-${String(n).padStart(4, "0")}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(ROOT_ID, "t1", "nope") },
);
const position = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: -2, max: 9 }).map((index) => ({ index })),
  anyId.map((before) => ({ before })),
  anyId.map((afterId) => ({ after: afterId })),
);
const optional = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const operation: fc.Arbitrary<PlanOperation> = fc.oneof(
  fc.record({
    op: fc.constant("create" as const),
    title: fc.constantFrom("x", "y"),
    tempId: optional(fc.constantFrom("t1", "t2")),
    parentId: optional(anyId),
    dependencies: fc.array(anyId, { maxLength: 3 }),
    position,
  }),
  fc.record({
    op: fc.constant("update" as const),
    taskId: anyId,
    dependencies: optional(fc.array(anyId, { maxLength: 3 })),
    title: optional(fc.constantFrom("z", "")),
  }),
  fc.record({
    op: fc.constant("move" as const),
    taskId: anyId,
    parentId: optional(anyId),
    position,
  }),
  fc.record({ op: fc.constant("delete" as const), taskId: anyId, cascade: fc.boolean() }),
);

function expectWhole(state: WorkspaceState): void {
  const listed = new Map<string, number>();
  for (const node of state.nodes.values()) {
    for (const child of node.children) {
      listed.set(child, (listed.get(child) ?? 0) + 1);
      expect(state.nodes.get(child)?.parentId).toBe(node.id);
    }
    for (const dependency of node.dependencies) expect(state.nodes.has(dependency)).toBe(true);
    let steps = 0;
    for (let up: string | null = node.id; up; up = state.nodes.get(up)!.parentId)
      expect(steps++).toBeLessThan(1_000);
  }
  for (const node of state.nodes.values())
    expect(listed.get(node.id) ?? 0).toBe(node.id === ROOT_ID ? 0 : 1);
  for (const start of state.nodes.keys()) {
    const seen = new Set<string>();
    const queue = [...state.nodes.get(start)!.dependencies];
    for (const id of queue) {
      expect(id).not.toBe(start);
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(...state.nodes.get(id)!.dependencies);
    }
  }
  const kept = state.index;
  const fresh = buildIndex(state);
  for (const name of [
    "dependants",
    "unmet",
    "runnable",
    "running",
    "folded",
    "extraTasks",
  ] as const)
    expect(kept[name].equals(fresh[name]), `index ${name}`).toBe(true);
}

const twelve = after(
  empty,
  ...Array.from({ length: 12 }, (_, i) =>
    create(`n${i}`, i % 3 === 2 ? { parentId: `task-${String(i - 1).padStart(4, "0")}` } : {}),
  ),
);

/** A foreseen refusal, or null if there was none; a bug is thrown on. */
function refusalOf(attempt: () => void): MultiverseError | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof MultiverseError) return error;
    throw error;
  }
}

test("any sequence of patches, valid or not, keeps the tree and the dependencies whole, and a refused one changes nothing", () => {
  let refused = 0;
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 2 }), { maxLength: 12 }),
      (patches) => {
        let state = twelve;
        for (const operations of patches) {
          const before = canonicalJson(saveState(state));
          const refusal = refusalOf(() => {
            state = after(state, ...operations);
          });
          refused += refusal === null ? 0 : 1;
          accepted += refusal === null ? 1 : 0;
          expect(refusal?.code ?? "PATCH_REFUSED").toBe("PATCH_REFUSED");
          expect(canonicalJson(saveState(state)) === before || refusal === null).toBe(true);
          expectWhole(state);
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(Math.min(refused, accepted)).toBeGreaterThan(100);
});

test("an answer of the planner passes the schema and becomes facts", () => {
  const answer = PlanPatch.parse({
    understanding: "u",
    operations: [
      {
        op: "create",
        temp_id: "t",
        title: "T",
        acceptance_criteria: [{ description: "works", check: { command: "npm test" } }],
        estimated_effort: "small",
      },
    ],
  });
  const state = commit(empty, patchToFacts(empty, toCamel(answer), origin).facts);
  expect(state.nodes.get("task-0001")).toMatchObject({
    effort: "small",
    acceptanceCriteria: ["works (check: `npm test`)"],
    origin: "a wish",
  });
});
