import type { Map as IMap, Set as ISet } from "immutable";
import { Set as ImmutableSet } from "immutable";
import { foldId } from "../id.ts";
import { countUnmet, isFurtherTask, isRunnable, isSatisfied } from "../readiness.ts";
import type { WorkspaceState } from "../state.ts";
import type { Task } from "../task.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A state being changed by one batch of facts. Maps are Immutable.js transients: owned here, shared with nobody. */
export type Draft = Mutable<Omit<WorkspaceState, "index">> & {
  index: Mutable<WorkspaceState["index"]>;
  /** The state the transients were opened from: what an unchanged map goes back to. */
  base: WorkspaceState;
  /** Lists of children that were made here, so that a thousand new siblings do not copy the list a thousand times. */
  ownLists: Set<readonly string[]>;
};

const MAPS = ["nodes", "runtimes", "tasks", "attempts", "backlog", "tests", "sessions"] as const;
const INDEX = [
  "dependants",
  "unmet",
  "runnable",
  "running",
  "folded",
  "extraTasks",
  "attemptsOf",
] as const;

export function beginDraft(state: WorkspaceState): Draft {
  const draft: Draft = { ...state, index: { ...state.index }, base: state, ownLists: new Set() };
  const open = draft as unknown as Record<string, IMap<string, unknown>>;
  const openIndex = draft.index as unknown as Record<string, unknown>;
  for (const name of MAPS) open[name] = state[name].asMutable();
  for (const name of INDEX) openIndex[name] = state.index[name].asMutable();
  return draft;
}

/** Closes the draft. A map nobody changed keeps its identity, so that readers can tell with `===`. */
export function endDraft(open: Draft): WorkspaceState {
  const { base: before, ownLists: _, ...draft } = open;
  const close = <T extends object>(owner: T, old: T, names: readonly string[]): T => {
    const closed = { ...owner } as Record<string, unknown>;
    for (const name of names) {
      const map = closed[name] as IMap<string, unknown> & { wasAltered(): boolean };
      closed[name] = map.wasAltered() ? map.asImmutable() : (old as Record<string, unknown>)[name];
    }
    return closed as T;
  };
  const index = close(draft.index, before.index, INDEX);
  const same = INDEX.every((name) => index[name] === before.index[name]);
  return { ...close<WorkspaceState>(draft, before, MAPS), index: same ? before.index : index };
}

export const addTo = (map: IMap<string, ISet<string>>, key: string, id: string) =>
  map.set(key, (map.get(key) ?? ImmutableSet<string>()).add(id));

export function removeFrom(map: IMap<string, ISet<string>>, key: string, id: string): void {
  const rest = map.get(key)?.remove(id);
  if (rest?.size) map.set(key, rest);
  else map.remove(key);
}

/** Puts a task into the sets it belongs to now. */
function placeTask(draft: Draft, task: Task): void {
  const { index } = draft;
  if (task.progress === "running") index.running.add(task.id);
  else index.running.remove(task.id);
  if (isRunnable(draft, index.unmet.get(task.nodeId) ?? 0, task)) index.runnable.add(task.id);
  else index.runnable.remove(task.id);
}

function placeTasksOf(draft: Draft, nodeId: string): void {
  const own = draft.tasks.get(nodeId);
  if (own) placeTask(draft, own);
  for (const id of draft.index.extraTasks.get(nodeId) ?? []) {
    const task = draft.tasks.get(id);
    if (task) placeTask(draft, task);
  }
}

export function putTask(draft: Draft, task: Task): void {
  const satisfied = isSatisfied(draft, task.nodeId);
  if (!draft.tasks.has(task.id)) {
    draft.index.folded.set(foldId(task.id), task.id);
    if (isFurtherTask(task)) addTo(draft.index.extraTasks, task.nodeId, task.id);
  }
  draft.tasks.set(task.id, task);
  placeTask(draft, task);
  satisfactionMayHaveChanged(draft, task.nodeId, satisfied);
}

export function removeTask(draft: Draft, id: string): void {
  const task = draft.tasks.get(id);
  if (!task) return;
  draft.tasks.remove(id);
  draft.index.runnable.remove(id);
  draft.index.running.remove(id);
  draft.index.folded.remove(foldId(id));
  if (isFurtherTask(task)) removeFrom(draft.index.extraTasks, task.nodeId, id);
}

/** After a change that may have made a node count as done, or no longer: its dependants wait for one less or more. */
export function satisfactionMayHaveChanged(draft: Draft, nodeId: string, was: boolean): void {
  const is = isSatisfied(draft, nodeId);
  if (is === was) return;
  placeTasksOf(draft, nodeId);
  for (const id of draft.index.dependants.get(nodeId) ?? []) {
    setUnmet(draft, id, (draft.index.unmet.get(id) ?? 0) + (is ? -1 : 1));
    placeTasksOf(draft, id);
  }
}

/** Records that a node's dependencies went from one list to another. */
export function relink(
  draft: Draft,
  nodeId: string,
  from: readonly string[],
  to: readonly string[],
): void {
  const before = new Set(from);
  const after = new Set(to);
  for (const id of before) if (!after.has(id)) removeFrom(draft.index.dependants, id, nodeId);
  for (const id of after) if (!before.has(id)) addTo(draft.index.dependants, id, nodeId);
  recountUnmet(draft, nodeId);
}

export function recountUnmet(draft: Draft, nodeId: string): void {
  setUnmet(draft, nodeId, countUnmet(draft, nodeId));
  placeTasksOf(draft, nodeId);
}

/** Nodes that wait for nothing are not in the map: most of a large plan would be zeros. */
function setUnmet(draft: Draft, nodeId: string, count: number): void {
  if (count > 0) draft.index.unmet.set(nodeId, count);
  else draft.index.unmet.remove(nodeId);
}
