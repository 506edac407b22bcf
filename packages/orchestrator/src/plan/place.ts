import type { Position } from "@multiverse/protocol/plan-patch";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { refuse } from "./refuse.ts";

export interface Place {
  readonly parentId: string;
  readonly index: number;
}

/**
 * Where a node goes among its siblings. `moving` is the node itself when it is already in the tree: it does not count as
 * its own sibling. Without a parent, `before`/`after` bring theirs; without a position, the node goes last.
 */
export function findPlace(
  state: WorkspaceState,
  parentId: string | undefined,
  position: Position | undefined,
  { fallbackParent = ROOT_ID, moving = "" }: { fallbackParent?: string; moving?: string } = {},
): Place {
  const anchor = position?.before ?? position?.after;
  const parent = parentId ?? (anchor === undefined ? fallbackParent : parentOf(state, anchor));
  const node = state.nodes.get(parent);
  if (!node) throw refuse(`there is no parent ${JSON.stringify(parent)} in the plan`);
  const siblings = moving === "" ? node.children : node.children.filter((id) => id !== moving);
  if (anchor === undefined)
    return { parentId: parent, index: clamp(position?.index ?? siblings.length, siblings.length) };
  const at = siblings.indexOf(anchor);
  if (at < 0)
    throw refuse(
      `${JSON.stringify(anchor)} is not a child of ${JSON.stringify(parent)}, so nothing can be placed beside it`,
    );
  return { parentId: parent, index: position?.before === undefined ? at + 1 : at };
}

function parentOf(state: WorkspaceState, id: string): string {
  const node = state.nodes.get(id);
  if (!node) throw refuse(`there is no task ${JSON.stringify(id)} in the plan`);
  return node.parentId ?? ROOT_ID;
}

const clamp = (index: number, max: number): number => Math.max(0, Math.min(index, max));

/** Whether `id` is `ancestor` or below it. */
export function isWithin(state: WorkspaceState, id: string, ancestor: string): boolean {
  for (let at: string | null | undefined = id; at; at = state.nodes.get(at)?.parentId)
    if (at === ancestor) return true;
  return false;
}
