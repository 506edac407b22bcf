import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { find } from "@multiverse/protocol/find";
import { isPlanFact, type PlanFact } from "@multiverse/protocol/plan-change";
import {
  ROOT_ID,
  type NodeChanges,
  type NodeDesign,
  type PlanNode,
} from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import { inSteps } from "../store/give-way.ts";
import type { Workspace } from "../store/workspace.ts";
import { deleteNode } from "./delete-node.ts";
import { newTask } from "./new-node.ts";
import { draftPlan, type PlanDraft } from "./plan-draft.ts";

/** Who commits an undo; behind it, the seq at which the change began that it took back. */
const UNDO = "undo";

export const isUndo = ({ by }: Pick<Fact, "by">): boolean =>
  by === UNDO || by.startsWith(`${UNDO}:`);

/** The way back: facts from the newest state, to be committed in this name. */
export interface WayBack {
  readonly by: string;
  readonly facts: (state: WorkspaceState) => Generator<undefined, NewFact[]>;
}

/** What undo has to know of the past. */
export type PlanHistory = Pick<Workspace, "state" | "readFacts" | "stateAt">;

/** How far back to look for a change: near first, since history may be long. */
const WINDOWS = [2_000, 50_000, Infinity] as const;

/**
 * The way back from the last plan change: a function from the newest state to the facts that give the nodes it touched
 * their former shape. History is never cut, and undoing again goes one change further back.
 */
export async function undoFacts(workspace: PlanHistory, at: string): Promise<WayBack> {
  const seen = workspace.state;
  for (const window of WINDOWS) {
    const after = Math.max(0, seen.seq - window);
    const changes = openChanges(await workspace.readFacts({ after, limit: Infinity }));
    for (const { firstSeq, length } of changes.toReversed()) {
      const before = await workspace.stateAt(firstSeq - 1);
      // All of it, also what lies beyond the window: a large change is longer than that.
      const whole = await workspace.readFacts({ after: firstSeq - 1, limit: length });
      const nodeIds = new Set(whole.filter(isPlanFact).map(nodeIdOf));
      // A change that came to nothing (a move to the same place) leaves nothing to undo.
      if ((await inSteps(backTo(before, seen, nodeIds, at))).length === 0) continue;
      const facts: WayBack["facts"] = (state) => {
        if (state.nodes !== seen.nodes) throw changedMeanwhile();
        return backTo(before, state, nodeIds, at);
      };
      return { by: `${UNDO}:${firstSeq}`, facts };
    }
  }
  throw new MultiverseError("CONFLICT", "There is no plan change to undo.", {
    hint: "Only changes to the plan can be undone.",
  });
}

/** Taking back a change from under a newer one could leave dependencies on what is no more. */
const changedMeanwhile = (): MultiverseError =>
  new MultiverseError("CONFLICT", "The plan changed at the same moment, so nothing was undone.", {
    hint: "Look at the plan and undo again.",
    retryable: true,
  });

interface Change {
  readonly firstSeq: number;
  /** In facts, with those that are not about the plan. */
  readonly length: number;
}

/**
 * The changes that no later undo has taken back. An undo says which one it took back; those after it came to nothing, or
 * were taken back before. One that does not say pairs with the change before it, like brackets.
 */
function openChanges(facts: readonly Fact[]): Change[] {
  const open: Change[] = [];
  const changes = new Map<string, PlanFact>();
  // What was changed before a restore belongs to a plan that is no more.
  const restored = facts.findLastIndex((fact) => fact.kind === "snapshot.restored");
  for (const fact of facts.slice(restored + 1))
    if (isPlanFact(fact) && !changes.has(fact.tx)) changes.set(fact.tx, fact);
  for (const fact of changes.values()) {
    if (isUndo(fact)) takeBack(open, fact.by);
    else open.push({ firstSeq: fact.seq - fact.i, length: fact.n });
  }
  return open;
}

function takeBack(open: Change[], by: string): void {
  const named = by === UNDO ? open.at(-1)?.firstSeq : Number(by.slice(UNDO.length + 1));
  while (named !== undefined && (open.at(-1)?.firstSeq ?? 0) >= named) open.pop();
}

const nodeIdOf = (fact: PlanFact): string =>
  fact.kind === "node.created" ? fact.payload.node.id : fact.payload.nodeId;

/** Nodes per step, where there are many. */
const STEP = 100;

function* backTo(
  before: WorkspaceState,
  now: WorkspaceState,
  nodeIds: ReadonlySet<string>,
  at: string,
): Generator<undefined, NewFact[]> {
  const draft = draftPlan(now, at);
  let done = 0;
  const touched = new Set(nodeIds);
  yield* addChangedAlong(touched, before, now);
  for (const id of [...touched].toReversed()) {
    if (++done % STEP === 0) yield;
    if (!before.nodes.has(id) && draft.state.nodes.has(id)) yield* deleteNode(draft, id, false, at);
  }
  const former = formerTree(before);
  const unsettled = new Set(touched);
  for (const id of former.places.keys()) {
    if (!touched.has(id)) continue;
    if (++done % STEP === 0) yield;
    bringBack(draft, former, find(before.nodes, id), unsettled);
    unsettled.delete(id);
  }
  return [...draft.facts];
}

/**
 * A deletion names only its top. With it went its subtree or its place as a parent, and what others said about it: who
 * depended on it, and who was not to run beside it.
 */
function* addChangedAlong(
  touched: Set<string>,
  before: WorkspaceState,
  now: WorkspaceState,
): Generator<undefined, void> {
  let seen = 0;
  // What is added meanwhile is visited, too.
  for (const id of touched) {
    if (++seen % STEP === 0) yield;
    const was = before.nodes.get(id);
    if (!was || now.nodes.has(id)) continue;
    for (const child of was.children) touched.add(child);
    for (const other of was.conflictsWith) touched.add(other);
    for (const dependant of before.index.dependants.get(id) ?? []) touched.add(dependant);
  }
}

/** The tree as it was. */
interface FormerTree {
  readonly before: WorkspaceState;
  /** Where each node stood among its siblings; parents come before their children, siblings in order. */
  readonly places: ReadonlyMap<string, number>;
}

function formerTree(before: WorkspaceState): FormerTree {
  const places = new Map([[ROOT_ID, 0]]);
  // Entries that are added meanwhile are visited, too.
  for (const id of places.keys())
    for (const [place, child] of (before.nodes.get(id)?.children ?? []).entries())
      places.set(child, place);
  return { before, places };
}

function bringBack(
  draft: PlanDraft,
  former: FormerTree,
  was: PlanNode,
  unsettled: ReadonlySet<string>,
): void {
  const { parentId, children: _, updatedAt: __, ...design } = was;
  const siblings = parentId === null ? undefined : draft.state.nodes.get(parentId)?.children;
  if (parentId === null || !siblings) return;
  const is = draft.state.nodes.get(was.id);
  const at = is?.parentId === parentId ? siblings.indexOf(was.id) : -1;
  const index = formerPlace(draft, former, { id: was.id, parentId, at }, unsettled);
  if (!is) {
    recreate(draft, former.before, design, { parentId, index });
    return;
  }
  const changes = differences(is, design);
  if (Object.keys(changes).length > 0)
    draft.add({ kind: "node.updated", payload: { nodeId: was.id, changes } });
  if (at !== index) draft.add({ kind: "node.moved", payload: { nodeId: was.id, parentId, index } });
}

/** Behind the nearest sibling that stood before it and stands where it belongs already. It does not count itself. */
function formerPlace(
  { state }: PlanDraft,
  { before, places }: FormerTree,
  { id, parentId, at }: { id: string; parentId: string; at: number },
  unsettled: ReadonlySet<string>,
): number {
  const former = find(before.nodes, parentId).children;
  for (let place = find(places, id) - 1; place >= 0; place--) {
    const ahead = former[place] ?? "";
    if (unsettled.has(ahead) || state.nodes.get(ahead)?.parentId !== parentId) continue;
    const behind = find(state.nodes, parentId).children.lastIndexOf(ahead) + 1;
    return at >= 0 && at < behind ? behind - 1 : behind;
  }
  return 0;
}

/** What was done, skipped or cancelled comes back so: undoing a deletion must not run it again. */
function recreate(
  draft: PlanDraft,
  before: WorkspaceState,
  node: NodeDesign,
  at: { parentId: string; index: number },
): void {
  const task = before.tasks.get(node.id);
  draft.add(
    { kind: "node.created", payload: { node, ...at } },
    { kind: "task.created", payload: { task: newTask(node, task?.poolId) } },
  );
  if (task) draft.add(...progressFacts(before, task), ...runtimeFacts(before, node.id));
}

function progressFacts(before: WorkspaceState, task: Task): NewFact[] {
  const { id: taskId, progress, dependantsProceed } = task;
  const attemptId = progress === "succeeded" ? successOf(before, task) : undefined;
  if (attemptId !== undefined) return [{ kind: "task.succeeded", payload: { taskId, attemptId } }];
  if (progress === "skipped")
    return [{ kind: "task.skipped", payload: { taskId, dependantsProceed } }];
  if (progress === "canceled")
    return [{ kind: "task.canceled", payload: { taskId, attemptId: null, stopped: false } }];
  return [];
}

/** A task that was brought back once has no outcome of its own any more: then its attempts know. */
function successOf(before: WorkspaceState, { id, outcome }: Task): string | undefined {
  if (outcome) return outcome.attemptId;
  const attempts = [...(before.index.attemptsOf.get(id) ?? [])].map((attemptId) =>
    find(before.attempts, attemptId),
  );
  return attempts
    .filter(({ status }) => status === "SUCCEEDED")
    .sort((a, b) => a.startedAt.localeCompare(b.startedAt))
    .at(-1)?.id;
}

function runtimeFacts(before: WorkspaceState, nodeId: string): NewFact[] {
  const runtime = before.runtimes.get(nodeId);
  const test = before.tests.get(nodeId);
  const done = runtime?.status === "implemented" || runtime?.status === "verified";
  if (!runtime || !done) return [];
  const { status: to, files } = runtime;
  const facts: NewFact[] = [
    {
      kind: "node.status_updated",
      payload: { nodeId, from: "planned", to, files: [...files] },
    },
  ];
  if (!test) return facts;
  const { status: result, testTaskId: taskId, summary } = test;
  return [...facts, { kind: "test.run", payload: { nodeId, taskId, result, summary } }];
}

function differences(
  is: PlanNode,
  was: NodeChanges & { id: string; createdAt: string; createdBy: string },
): NodeChanges {
  const { id: _, createdAt: __, createdBy: ___, ...fields } = was;
  const changed = Object.entries(fields).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(is[key as keyof PlanNode]),
  );
  return Object.fromEntries(changed);
}
