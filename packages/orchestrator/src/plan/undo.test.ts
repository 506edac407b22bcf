import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { apply } from "@multiverse/protocol/apply/apply";
import { MultiverseError } from "@multiverse/protocol/error";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { finishFacts } from "../execute/finish.ts";
import { runResult } from "../testing/fake-runs.ts";
import { AT, create, emptyPlan, origin, stamped, started } from "../testing/states.ts";
import { patchToFacts } from "./patch-to-facts.ts";
import { inSteps } from "../store/give-way.ts";
import { undoFacts } from "./undo.ts";

/** A workspace's past in memory: every state by its seq. */
class Past {
  readonly facts: Fact[] = [];
  private readonly states: WorkspaceState[];

  constructor(first: WorkspaceState) {
    this.states = [first];
  }

  get state(): WorkspaceState {
    return this.states.at(-1)!;
  }

  readFacts = async ({ after, limit }: { after: number; limit: number }): Promise<Fact[]> =>
    this.facts.filter((fact) => fact.seq > after).slice(0, limit);

  stateAt = async (seq: number): Promise<WorkspaceState> =>
    this.states.findLast((state) => state.seq <= seq)!;

  commit(facts: readonly NewFact[], by = "person"): this {
    if (facts.length === 0) return this;
    const made = stamped(this.state, facts, { by });
    this.facts.push(...made);
    this.states.push(apply(this.state, made));
    return this;
  }

  change(...operations: PlanOperation[]): this {
    const patch = { operations, potentialConflicts: [] };
    return this.commit(patchToFacts(this.state, patch, origin).facts);
  }

  async undo(): Promise<this> {
    const { by, facts } = await undoFacts(this, AT);
    return this.commit(await inSteps(facts(this.state)), by);
  }
}

/** The plan as people see it: the tree with everything that is wanted of each node. */
const shape = (state: WorkspaceState) =>
  Object.fromEntries(
    [...state.nodes.values()]
      .map(({ updatedAt: _updatedAt, ...node }) => node)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((node) => [node.id, { ...node, dependencies: node.dependencies.toSorted() }]),
  );

const tree = () =>
  new Past(emptyPlan).change(
    create("a", { tempId: "a" }),
    create("b", { tempId: "b", parentId: "a", dependencies: ["a"] }),
    create("c", { tempId: "c", parentId: "a" }),
    create("d", { tempId: "d", parentId: "c", dependencies: ["b"] }),
    create("e", { tempId: "e", dependencies: ["c", "d"] }),
  );

const CHANGES: [string, PlanOperation[]][] = [
  ["a creation", [create("f", { parentId: "task-0001", position: { index: 0 } })]],
  ["an update", [{ op: "update", taskId: "task-0005", title: "E", dependencies: [] }]],
  ["a move", [{ op: "move", taskId: "task-0002", parentId: "node-root", position: { index: 0 } }]],
  ["a deletion", [{ op: "delete", taskId: "task-0003", cascade: false }]],
  ["a cascading deletion", [{ op: "delete", taskId: "task-0001", cascade: true }]],
  [
    "several at once",
    [
      create("g", { tempId: "g" }),
      { op: "move", taskId: "task-0005", parentId: "g" },
      { op: "delete", taskId: "task-0001", cascade: false },
      { op: "update", taskId: "task-0004", title: "D" },
    ],
  ],
];

test.each(CHANGES)("undoing %s gives back the former plan", async (_, operations) => {
  const past = tree();
  const before = shape(past.state);
  past.change(...operations);
  expect(shape(past.state)).not.toEqual(before);
  await past.undo();
  expect(shape(past.state)).toEqual(before);
});

test("undoing twice goes two changes back, and a new change can be undone after that", async () => {
  const past = tree();
  const first = shape(past.state);
  past.change({ op: "delete", taskId: "task-0001", cascade: true });
  past.change({ op: "update", taskId: "task-0005", title: "E" });
  await past.undo();
  await past.undo();
  expect(shape(past.state)).toEqual(first);
  past.change({ op: "move", taskId: "task-0005", position: { index: 0 } });
  await past.undo();
  expect(shape(past.state)).toEqual(first);
});

test("a change that comes while the last one is looked up is not undone from under", async () => {
  const past = tree();
  const { facts } = await undoFacts(past, AT);
  past.change({ op: "delete", taskId: "task-0005", cascade: false });
  expect(() => facts(past.state)).toThrow(/at the same moment/);
});

test("a change of thousands of tasks is taken back whole, and nothing else with it", async () => {
  const past = tree();
  const before = shape(past.state);
  past.change(...Array.from({ length: 2_500 }, (_, i) => create(`many ${i}`)));
  await past.undo();
  expect(shape(past.state)).toEqual(before);
});

test("changes that came to nothing are not in the way, before and after an undo", async () => {
  const past = tree();
  const before = shape(past.state);
  past.change(create("new", { position: { index: 0 } }));
  past.change({ op: "update", taskId: "task-0006", title: "renamed" });
  for (let i = 0; i < 2; i += 1)
    past.change({ op: "move", taskId: "task-0006", position: { index: 0 } });
  await past.undo();
  expect(past.state.nodes.get("task-0006")?.title).toBe("new");
  await past.undo();
  expect(shape(past.state)).toEqual(before);
});

test("an undo in an older history, which does not say what it took back, pairs with the change before it", async () => {
  const past = tree();
  past.change(create("one"));
  past.change(create("two"));
  const { facts } = await undoFacts(past, AT);
  past.commit(await inSteps(facts(past.state)), "undo");
  await past.undo();
  expect([...past.state.nodes.values()].map(({ title }) => title)).not.toContain("one");
});

test("when nothing is left to undo, that is said", async () => {
  const past = tree();
  await past.undo();
  expect(past.state.nodes.size).toBe(1);
  await expect(past.undo()).rejects.toThrow(/no plan change/);
});

function finishTask(past: Past, taskId: string): void {
  past.commit(stampedAway(past.state, started(past.state, taskId)));
  past.commit(finishFacts(past.state, finishOf(taskId)));
}
const finishOf = (taskId: string) => ({
  attemptId: `att-${taskId}`,
  result: runResult(taskId, { artifacts: { files: ["src/a.ts"], note: null } }),
  end: { how: "finished", stderrTail: "" } as const,
  stopping: null,
  now: new Date(AT),
  newId: (prefix: string) => `${prefix}-1`,
  random: () => 0.5,
});

/** The start of an attempt as facts of its own. */
function stampedAway(before: WorkspaceState, after: WorkspaceState): NewFact[] {
  const attempt = [...after.attempts.values()].find(({ id }) => !before.attempts.has(id))!;
  const { id: attemptId, taskId } = attempt;
  const { status: _, finishedAt, errorSummary, reason, summary, usage, ...made } = attempt;
  expect([finishedAt, errorSummary, reason, summary, usage.usd]).toEqual([
    null,
    null,
    null,
    "",
    null,
  ]);
  return [
    { kind: "attempt.started", payload: { attempt: made } },
    { kind: "task.started", payload: { taskId, attemptId } },
  ];
}

test("a finished task that was deleted comes back finished, with its files", async () => {
  const past = tree();
  finishTask(past, "task-0001");
  const { runtimes, tests } = past.state;
  past.change({ op: "delete", taskId: "task-0001", cascade: true });
  await past.undo();
  expect(past.state.tasks.get("task-0001")).toMatchObject({ progress: "succeeded" });
  expect(past.state.runtimes.get("task-0001")).toMatchObject({
    status: "verified",
    files: ["src/a.ts"],
  });
  expect(past.state.tests).toEqual(tests);
  expect(runtimes.get("task-0001")?.status).toBe("verified");
  expect([...past.state.index.runnable].sort()).toEqual(["task-0002", "task-0003"]);
});

test("a finished task comes back finished as often as it is deleted", async () => {
  const past = tree();
  finishTask(past, "task-0001");
  for (let i = 0; i < 3; i += 1) {
    past.change({ op: "delete", taskId: "task-0001", cascade: true });
    await past.undo();
    expect(past.state.tasks.get("task-0001")).toMatchObject({ progress: "succeeded" });
  }
});

test.each([
  ["skipped", { kind: "task.skipped", payload: { taskId: "task-0003", dependantsProceed: true } }],
  [
    "canceled",
    { kind: "task.canceled", payload: { taskId: "task-0003", attemptId: null, stopped: false } },
  ],
] as const)("a %s task comes back as it was", async (progress, fact) => {
  const past = tree().commit([fact]);
  past.change({ op: "delete", taskId: "task-0003", cascade: false });
  await past.undo();
  expect(past.state.tasks.get("task-0003")).toMatchObject({ progress });
});

test("undoing the creation of a running task cancels it", async () => {
  const past = tree();
  past.change(create("new"));
  past.commit(stampedAway(past.state, started(past.state, "task-0006")));
  await past.undo();
  expect(past.state.attempts.get("att-task-0006")?.status).toBe("CANCELED");
  expect(past.state.tasks.has("task-0006")).toBe(false);
});

const anyId = fc.constantFrom(
  "node-root",
  ...Array.from({ length: 8 }, (_, i) => `task-000${i + 1}`),
);
const anyTask = anyId.filter((id) => id !== "node-root");
const operation: fc.Arbitrary<PlanOperation> = fc.oneof(
  fc.record({
    op: fc.constant("create" as const),
    title: fc.constant("x"),
    parentId: anyId,
    dependencies: fc.array(anyTask, { maxLength: 1 }),
    position: fc.nat(4).map((index) => ({ index })),
  }),
  fc.record({
    op: fc.constant("update" as const),
    taskId: anyTask,
    title: fc.constantFrom("y", "z"),
    dependencies: fc.array(anyTask, { maxLength: 1 }),
  }),
  fc.record({
    op: fc.constant("move" as const),
    taskId: anyTask,
    parentId: anyId,
    position: fc.nat(4).map((index) => ({ index })),
  }),
  fc.record({ op: fc.constant("delete" as const), taskId: anyTask, cascade: fc.boolean() }),
);

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether the change was accepted. */
function tried(past: Past, operations: PlanOperation[]): boolean {
  try {
    past.change(...operations);
    return true;
  } catch (error) {
    if (error instanceof MultiverseError) return false;
    throw error;
  }
}

test("undoing any changes one by one gives back every plan on the way", async () => {
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
      async (changes) => {
        const past = tree();
        const shapes: ReturnType<typeof shape>[] = [];
        for (const operations of changes) {
          const before = shape(past.state);
          // What came to nothing is nothing to undo.
          if (tried(past, operations) && !isEqual(before, shape(past.state))) shapes.push(before);
        }
        for (const before of shapes.toReversed()) {
          await past.undo();
          expect(shape(past.state)).toEqual(before);
          undone += 1;
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(undone).toBeGreaterThan(200);
});
