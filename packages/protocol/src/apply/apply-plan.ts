import type { FactOf } from "../fact.ts";
import { foldId } from "../id.ts";
import { ROOT_ID, type NodeRuntime, type PlanNode } from "../plan-node.ts";
import { isSatisfied } from "../readiness.ts";
import {
  recountUnmet,
  relink,
  removeTask,
  satisfactionMayHaveChanged,
  type Draft,
} from "./draft.ts";

/** Facts about the plan: what is wanted and where it stands in the tree. */

function need(draft: Draft, id: string): PlanNode {
  const node = draft.nodes.get(id);
  if (!node) throw new Error(`fact names node ${id}, which is not in the plan`);
  return node;
}

const without = (list: readonly string[], id: string): string[] =>
  list.filter((other) => other !== id);

/** When the plan last changed, for whoever lists workspaces or reads design/wbs.json. */
function planChanged(draft: Draft, at: string): void {
  if (draft.workspace) draft.workspace = { ...draft.workspace, updatedAt: at };
}

/** A node's children, to be changed in place: copied once per batch of facts. */
function childrenOf(draft: Draft, id: string): string[] {
  const node = need(draft, id);
  if (draft.ownLists.has(node.children)) return node.children as string[];
  const children = [...node.children];
  draft.ownLists.add(children);
  draft.nodes.set(id, { ...node, children });
  return children;
}

export function nodeCreated(draft: Draft, { at, payload }: FactOf<"node.created">): void {
  const { node, parentId, index } = payload;
  const siblings = childrenOf(draft, parentId);
  planChanged(draft, at);
  draft.nodes.set(node.id, { ...node, parentId, children: [], updatedAt: at });
  siblings.splice(index, 0, node.id);
  draft.runtimes.set(node.id, freshRuntime(node.id));
  draft.index.folded.set(foldId(node.id), node.id);
  draft.nextTaskNumber += 1;
  relink(draft, node.id, [], node.dependencies);
  for (const id of draft.index.dependants.get(node.id) ?? []) recountUnmet(draft, id);
}

const freshRuntime = (nodeId: string): NodeRuntime => ({
  nodeId,
  status: "planned",
  files: [],
  lastModifiedAt: null,
  lastModifiedBy: null,
  verification: "not_tested",
  lastTestTaskId: null,
  lastTestAt: null,
  notes: [],
});

export function nodeUpdated(draft: Draft, { at, payload }: FactOf<"node.updated">): void {
  const before = need(draft, payload.nodeId);
  planChanged(draft, at);
  const changes = Object.fromEntries(
    Object.entries(payload.changes).filter(([, value]) => value !== undefined),
  );
  const after: PlanNode = { ...before, ...changes, updatedAt: at };
  draft.nodes.set(before.id, after);
  if (payload.changes.dependencies)
    relink(draft, before.id, before.dependencies, after.dependencies);
}

export function nodeMoved(draft: Draft, { at, payload }: FactOf<"node.moved">): void {
  const node = need(draft, payload.nodeId);
  planChanged(draft, at);
  if (node.parentId) {
    const before = childrenOf(draft, node.parentId);
    before.splice(before.indexOf(node.id), 1);
  }
  childrenOf(draft, payload.parentId).splice(payload.index, 0, node.id);
  draft.nodes.set(node.id, { ...need(draft, node.id), parentId: payload.parentId, updatedAt: at });
}

/** Without `cascade` the children take the deleted node's place, in order; with it, the whole subtree goes. */
export function nodeDeleted(draft: Draft, { at, payload }: FactOf<"node.deleted">): void {
  const node = need(draft, payload.nodeId);
  planChanged(draft, at);
  const parentId = node.parentId ?? ROOT_ID;
  const siblings = childrenOf(draft, parentId);
  const heirs = payload.cascade ? [] : node.children;
  // From the end, where whoever deletes many begins: the rest need not move up each time.
  siblings.splice(siblings.lastIndexOf(node.id), 1, ...heirs);
  for (const child of heirs) draft.nodes.set(child, { ...need(draft, child), parentId });
  for (const id of payload.cascade ? subtree(draft, node.id) : [node.id]) forget(draft, id);
}

function subtree(draft: Draft, id: string): string[] {
  const ids = [id];
  for (const next of ids) ids.push(...need(draft, next).children);
  return ids;
}

function forget(draft: Draft, id: string): void {
  const gone = need(draft, id);
  relink(draft, id, gone.dependencies, []);
  for (const other of gone.conflictsWith) {
    const node = draft.nodes.get(other);
    if (node) draft.nodes.set(other, { ...node, conflictsWith: without(node.conflictsWith, id) });
  }
  draft.nodes.remove(id);
  draft.runtimes.remove(id);
  draft.tests.remove(id);
  draft.index.folded.remove(foldId(id));
  removeTask(draft, id);
  for (const extra of draft.index.extraTasks.get(id) ?? []) removeTask(draft, extra);
  draft.index.unmet.remove(id);
  for (const dependant of draft.index.dependants.get(id) ?? []) {
    const node = draft.nodes.get(dependant);
    if (!node) continue;
    draft.nodes.set(dependant, { ...node, dependencies: without(node.dependencies, id) });
    recountUnmet(draft, dependant);
  }
  draft.index.dependants.remove(id);
}

export function nodeStatusUpdated(
  draft: Draft,
  { at, by, payload }: FactOf<"node.status_updated">,
): void {
  const runtime = draft.runtimes.get(payload.nodeId);
  if (!runtime) return;
  const was = isSatisfied(draft, payload.nodeId);
  const files = payload.files
    ? [...new Set([...runtime.files, ...payload.files])].sort()
    : runtime.files;
  const notes = payload.note ? [...runtime.notes, { at, by, text: payload.note }] : runtime.notes;
  const changed = payload.files?.length ? { lastModifiedAt: at, lastModifiedBy: by } : {};
  draft.runtimes.set(payload.nodeId, { ...runtime, ...changed, status: payload.to, files, notes });
  satisfactionMayHaveChanged(draft, payload.nodeId, was);
}

export function testRun(draft: Draft, { at, payload }: FactOf<"test.run">): void {
  const { nodeId, taskId, result, summary } = payload;
  draft.tests.set(nodeId, { nodeId, status: result, testTaskId: taskId, summary, at });
  const runtime = draft.runtimes.get(nodeId);
  if (runtime)
    draft.runtimes.set(nodeId, {
      ...runtime,
      verification: result,
      lastTestTaskId: taskId,
      lastTestAt: at,
    });
}
