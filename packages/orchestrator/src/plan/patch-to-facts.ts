import type { NewFact } from "@multiverse/protocol/fact";
import { find } from "@multiverse/protocol/find";
import { foldId } from "@multiverse/protocol/id";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { PlanOperation, PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { atOnce } from "../store/give-way.ts";
import { deleteNode, type Removed } from "./delete-node.ts";
import { dependencyCycle } from "./dependency-cycle.ts";
import { newNode, newTask, nodeChanges, type Origin } from "./new-node.ts";
import { findPlace, isWithin } from "./place.ts";
import { draftPlan, type PlanDraft } from "./plan-draft.ts";
import { refitFacets } from "./refit-facets.ts";
import { refuse } from "./refuse.ts";

export interface PlanChange {
  readonly facts: readonly NewFact[];
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly moved: readonly string[];
  readonly deleted: readonly Removed[];
}

export interface PatchOptions extends Origin {
  readonly poolId?: string;
}

/** Operations per step, where there are many. */
const STEP = 100;
/** The same where little is to be done for each. */
const LIGHT_STEP = 1_000;

/**
 * A plan change as facts: operations in order, all or nothing. Pure. Anything that would break the tree or the
 * dependencies refuses the whole change with the reason.
 */
export function patchToFacts(
  before: WorkspaceState,
  patch: Pick<PlanPatch, "operations" | "potentialConflicts">,
  options: PatchOptions,
): PlanChange {
  return atOnce(patchInSteps(before, patch, options));
}

/** The same in steps, for whoever must not hold up others with a change of thousands of operations. */
export function* patchInSteps(
  before: WorkspaceState,
  patch: Pick<PlanPatch, "operations" | "potentialConflicts">,
  options: PatchOptions,
): Generator<undefined, PlanChange> {
  const names = yield* assignIds(before, patch.operations);
  const draft = draftPlan(before, options.at);
  const relinked = new Set<string>();
  const change = {
    created: [] as string[],
    updated: [] as string[],
    moved: [] as string[],
    deleted: [] as Removed[],
  };
  for (const [i, operation] of patch.operations.entries()) {
    if (i > 0 && i % STEP === 0) yield;
    switch (operation.op) {
      case "create":
        relinked.add(create(draft, names, find(names.byOperation, i), operation, options));
        change.created.push(find(names.byOperation, i));
        break;
      case "update":
        if (update(draft, names, operation, options)) relinked.add(names.real(operation.taskId));
        change.updated.push(names.real(operation.taskId));
        break;
      case "move":
        move(draft, names, operation);
        change.moved.push(names.real(operation.taskId));
        break;
      case "delete":
        change.deleted.push(
          ...(yield* deleteNode(
            draft,
            names.real(operation.taskId),
            operation.cascade,
            options.at,
          )),
        );
        break;
    }
  }
  yield* refuseUnknownDependencies(draft, relinked);
  const cycle = yield* dependencyCycle(draft.state, relinked);
  if (cycle) throw refuse(`the dependencies form a cycle: ${cycle.join(" → ")}`);
  markConflicts(draft, names, patch.potentialConflicts);
  return { facts: draft.facts, ...change };
}

interface Names {
  /** The real id of every create, by its place in the patch. */
  readonly byOperation: ReadonlyMap<number, string>;
  /** A temp id of this patch, or an id that is real already. */
  real(id: string): string;
}

/** Real ids are assigned before anything else, so that an operation may name a task that a later one creates. */
function* assignIds(
  state: WorkspaceState,
  operations: readonly PlanOperation[],
): Generator<undefined, Names> {
  const byOperation = new Map<number, string>();
  const byTemp = new Map<string, string>();
  let number = state.nextTaskNumber;
  for (const [i, operation] of operations.entries()) {
    if (i > 0 && i % LIGHT_STEP === 0) yield;
    if (operation.op !== "create") continue;
    let id: string;
    do id = `task-${String(number++).padStart(4, "0")}`;
    while (state.index.folded.has(id));
    byOperation.set(i, id);
    if (operation.tempId === undefined) continue;
    const folded = foldId(operation.tempId);
    if (byTemp.has(folded))
      throw refuse(`temp_id ${JSON.stringify(operation.tempId)} is used twice`);
    if (state.index.folded.has(folded))
      throw refuse(`temp_id ${JSON.stringify(operation.tempId)} is the id of an existing task`);
    byTemp.set(folded, id);
  }
  return { byOperation, real: (id) => byTemp.get(foldId(id)) ?? id };
}

type Of<Op extends PlanOperation["op"]> = Extract<PlanOperation, { op: Op }>;

const dependenciesOf = (names: Names, id: string, list: readonly string[]): string[] => {
  const real = [...new Set(list.map((dependency) => names.real(dependency)))];
  if (real.includes(id)) throw refuse(`task ${id} cannot depend on itself`);
  if (real.includes(ROOT_ID)) throw refuse("nothing can depend on the root of the plan");
  return real;
};

const realPosition = (names: Names, position: Of<"move">["position"]) =>
  position && {
    ...position,
    ...(position.before === undefined ? {} : { before: names.real(position.before) }),
    ...(position.after === undefined ? {} : { after: names.real(position.after) }),
  };

function create(
  draft: PlanDraft,
  names: Names,
  id: string,
  operation: Of<"create">,
  options: PatchOptions,
): string {
  const node = newNode(
    id,
    operation,
    dependenciesOf(names, id, operation.dependencies ?? []),
    options,
  );
  const parent = operation.parentId === undefined ? undefined : names.real(operation.parentId);
  const place = findPlace(draft.state, parent, realPosition(names, operation.position));
  draft.add(
    { kind: "node.created", payload: { node, ...place } },
    { kind: "task.created", payload: { task: newTask(node, options.poolId) } },
  );
  return id;
}

/** Whether the dependencies changed. */
function update(
  draft: PlanDraft,
  names: Names,
  operation: Of<"update">,
  options: PatchOptions,
): boolean {
  const node = draft.node(names.real(operation.taskId));
  const { id } = node;
  const dependencies = operation.dependencies && dependenciesOf(names, id, operation.dependencies);
  const changes = nodeChanges(operation, dependencies, options);
  if (Object.keys(changes).length === 0) throw refuse(`the update of ${id} changes nothing`);
  const refitted = { ...changes, ...refitFacets(node, changes) };
  draft.add({ kind: "node.updated", payload: { nodeId: id, changes: refitted } });
  return dependencies !== undefined;
}

function move(draft: PlanDraft, names: Names, operation: Of<"move">): void {
  const node = draft.node(names.real(operation.taskId));
  const parent = operation.parentId === undefined ? undefined : names.real(operation.parentId);
  const place = findPlace(draft.state, parent, realPosition(names, operation.position), {
    fallbackParent: node.parentId ?? ROOT_ID,
    moving: node.id,
  });
  if (isWithin(draft.state, place.parentId, node.id))
    throw refuse(`task ${node.id} cannot move into its own subtree`);
  draft.add({ kind: "node.moved", payload: { nodeId: node.id, ...place } });
}

function* refuseUnknownDependencies(
  draft: PlanDraft,
  ids: Iterable<string>,
): Generator<undefined, void> {
  let done = 0;
  for (const id of ids) {
    if (++done % LIGHT_STEP === 0) yield;
    const unknown = draft.state.nodes
      .get(id)
      ?.dependencies.find((dependency) => !draft.state.nodes.has(dependency));
    if (unknown !== undefined)
      throw refuse(`task ${id} depends on ${JSON.stringify(unknown)}, which is not in the plan`);
  }
}

/** Conflicts are advice, so a name the plan does not know is passed over, not refused. */
function markConflicts(
  draft: PlanDraft,
  names: Names,
  conflicts: PlanPatch["potentialConflicts"],
): void {
  const others = new Map<string, Set<string>>();
  for (const conflict of conflicts) {
    const ids = conflict.tasks
      .map((id) => names.real(id))
      .filter((id) => draft.state.tasks.has(id));
    for (const id of ids)
      for (const other of ids)
        if (other !== id) others.set(id, (others.get(id) ?? new Set()).add(other));
  }
  for (const [id, added] of others) {
    const conflictsWith = [
      ...new Set([...(draft.state.nodes.get(id)?.conflictsWith ?? []), ...added]),
    ].sort();
    draft.add({ kind: "node.updated", payload: { nodeId: id, changes: { conflictsWith } } });
  }
}
