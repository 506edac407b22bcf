import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { TreeItem } from "./tree.ts";

export type DropPlace = "before" | "into" | "after";

/** Which third of a row the pointer is over decides where a dragged task would land. */
export const dropPlace = (offset: number, height: number): DropPlace =>
  offset < height * 0.28 ? "before" : offset > height * 0.72 ? "after" : "into";

/** Whether a node stands in the subtree of another (or is it). */
function isInside(state: WorkspaceState, id: string, ancestor: string): boolean {
  for (let at: string | null | undefined = id; at; at = state.nodes.get(at)?.parentId)
    if (at === ancestor) return true;
  return false;
}

/** The plan operations that put a task where it was dropped, or null where that is not possible. */
export function moveOperations(
  state: WorkspaceState,
  taskId: string,
  target: TreeItem,
  place: DropPlace,
): PlanOperation[] | null {
  if (!state.nodes.has(taskId)) return null;
  if (target.kind === "group") {
    const { milestone, phaseName } = target.facets;
    if (milestone === undefined && phaseName === undefined) return null;
    const update: PlanOperation = {
      op: "update",
      taskId,
      ...(milestone !== undefined && { milestone }),
      ...(phaseName !== undefined && { phaseName }),
    };
    return [update];
  }
  const id = target.nodeId;
  if (id === null || isInside(state, id, taskId)) return null;
  if (place === "into") return [{ op: "move", taskId, parentId: id }];
  const parentId = state.nodes.get(id)?.parentId ?? ROOT_ID;
  const position = place === "before" ? { before: id } : { after: id };
  return [{ op: "move", taskId, parentId, position }];
}

/** Alt-arrow in the tree: one place up or down among its siblings. */
export function nudgeOperations(
  state: WorkspaceState,
  taskId: string,
  step: 1 | -1,
): PlanOperation[] | null {
  const parentId = state.nodes.get(taskId)?.parentId;
  const siblings = (parentId && state.nodes.get(parentId)?.children) || [];
  const other = siblings[siblings.indexOf(taskId) + step];
  if (!parentId || other === undefined) return null;
  const position = step === 1 ? { after: other } : { before: other };
  return [{ op: "move", taskId, parentId, position }];
}
