import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { find } from "@multiverse/protocol/find";
import type { NodeChanges, NodeDesign, PlanNode } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Workspace } from "../store/workspace.ts";
import { deleteNode } from "./delete-node.ts";
import { newTask } from "./new-node.ts";
import { draftPlan, type PlanDraft } from "./plan-draft.ts";

/** Facts that change what is wanted. */
const PLAN_KINDS = new Set<Fact["kind"]>([
  "node.created",
  "node.updated",
  "node.moved",
  "node.deleted",
]);
const UNDO = "undo";

/** What undo has to know of the past. */
export type PlanHistory = Pick<Workspace, "state" | "readFacts" | "stateAt">;

/** How far back to look for a change: near first, since history may be long. */
const WINDOWS = [2_000, 50_000, Infinity] as const;

/**
 * The way back from the last plan change: a function from the newest state to the facts that give the nodes it touched
 * their former shape. History is never cut, and undoing again goes one change further back.
 */
export async function undoFacts(
  workspace: PlanHistory,
  at: string,
): Promise<(state: WorkspaceState) => NewFact[]> {
  for (const window of WINDOWS) {
    const after = Math.max(0, workspace.state.seq - window);
    const change = lastChange(await workspace.readFacts({ after, limit: Infinity }));
    if (!change) continue;
    const before = await workspace.stateAt(change.firstSeq - 1);
    return (state) => backTo(before, state, change.nodeIds, at);
  }
  throw new MultiverseError("CONFLICT", "There is no plan change to undo.", {
    hint: "Only changes to the plan can be undone.",
  });
}

interface Change {
  readonly firstSeq: number;
  readonly nodeIds: ReadonlySet<string>;
}

/** The newest change that no later undo has taken back: each undo pairs with the change before it, like brackets. */
function lastChange(facts: readonly Fact[]): Change | null {
  const open: Change[] = [];
  const changes = new Map<string, Fact[]>();
  for (const fact of facts)
    if (PLAN_KINDS.has(fact.kind)) changes.set(fact.tx, [...(changes.get(fact.tx) ?? []), fact]);
  for (const tx of changes.values()) {
    const [first] = tx;
    if (first?.by === UNDO) open.pop();
    else if (first)
      open.push({ firstSeq: first.seq - first.i, nodeIds: new Set(tx.map(nodeIdOf)) });
  }
  return open.at(-1) ?? null;
}

function nodeIdOf(fact: Fact): string {
  const payload = fact.payload as { nodeId?: string; node?: { id: string } };
  return payload.nodeId ?? payload.node?.id ?? "";
}

function backTo(
  before: WorkspaceState,
  now: WorkspaceState,
  nodeIds: ReadonlySet<string>,
  at: string,
): NewFact[] {
  const draft = draftPlan(now, at);
  const ids = [...nodeIds, ...lostWith(before, now, nodeIds)];
  for (const id of ids)
    if (!before.nodes.has(id) && draft.state.nodes.has(id)) deleteNode(draft, id, false, at);
  for (const id of inTreeOrder(before, ids)) bringBack(draft, before, find(before.nodes, id));
  return [...draft.facts];
}

/** A cascading delete names only the top: its subtree went with it, and those who depended on either lost that. */
function lostWith(
  before: WorkspaceState,
  now: WorkspaceState,
  nodeIds: ReadonlySet<string>,
): string[] {
  const lost = [...nodeIds].filter((id) => before.nodes.has(id) && !now.nodes.has(id));
  for (const id of lost)
    lost.push(...(before.nodes.get(id)?.children ?? []).filter((child) => !now.nodes.has(child)));
  const dependants = lost.flatMap((id) => [...(before.index.dependants.get(id) ?? [])]);
  return [...lost, ...dependants].filter((id) => !nodeIds.has(id));
}

const depth = (state: WorkspaceState, id: string): number => {
  let n = 0;
  for (let at = state.nodes.get(id)?.parentId; at; at = state.nodes.get(at)?.parentId) n += 1;
  return n;
};

const inTreeOrder = (state: WorkspaceState, ids: readonly string[]): string[] =>
  [...new Set(ids)]
    .filter((id) => state.nodes.has(id))
    .sort((a, b) => depth(state, a) - depth(state, b) || place(state, a) - place(state, b));

const place = (state: WorkspaceState, id: string): number =>
  state.nodes.get(state.nodes.get(id)?.parentId ?? "")?.children.indexOf(id) ?? 0;

function bringBack(draft: PlanDraft, before: WorkspaceState, was: PlanNode): void {
  const { parentId, children: _, updatedAt: __, ...design } = was;
  if (parentId === null || !draft.state.nodes.has(parentId)) return;
  const siblings = find(draft.state.nodes, parentId).children.filter((id) => id !== was.id);
  const index = Math.min(place(before, was.id), siblings.length);
  const is = draft.state.nodes.get(was.id);
  if (!is) {
    recreate(draft, before, design, { parentId, index });
    return;
  }
  const changes = differences(is, design);
  if (Object.keys(changes).length > 0)
    draft.add({ kind: "node.updated", payload: { nodeId: was.id, changes } });
  if (is.parentId !== parentId || place(draft.state, was.id) !== index)
    draft.add({ kind: "node.moved", payload: { nodeId: was.id, parentId, index } });
}

/** A node that was done comes back done: undoing a deletion must not run it again. */
function recreate(
  draft: PlanDraft,
  before: WorkspaceState,
  node: NodeDesign,
  at: { parentId: string; index: number },
): void {
  const task = before.tasks.get(node.id);
  const runtime = before.runtimes.get(node.id);
  draft.add(
    { kind: "node.created", payload: { node, ...at } },
    { kind: "task.created", payload: { task: newTask(node, task?.poolId) } },
  );
  if (task?.progress !== "succeeded" || !task.outcome || !runtime) return;
  draft.add(
    { kind: "task.succeeded", payload: { taskId: node.id, attemptId: task.outcome.attemptId } },
    {
      kind: "node.status_updated",
      payload: { nodeId: node.id, from: "planned", to: runtime.status, files: [...runtime.files] },
    },
  );
}

/** Dependencies on nodes that came and went since are left out by the reducer's own rules. */
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
