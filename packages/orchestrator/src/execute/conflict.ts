import type { PlanNode } from "@multiverse/protocol/plan-node";
import { pathsOverlap } from "../plan/project-path.ts";

const filesOf = (node: PlanNode): readonly string[] => node.suggestedImpl?.filePaths ?? [];

export const namesNoFiles = (node: PlanNode): boolean => filesOf(node).length === 0;

/**
 * Whether two tasks may not share one working tree: they do only if both name their files, these do not overlap, and the
 * planner did not list them together.
 */
export function inConflict(a: PlanNode, b: PlanNode): boolean {
  if (namesNoFiles(a) || namesNoFiles(b)) return true;
  if (a.conflictsWith.includes(b.id) || b.conflictsWith.includes(a.id)) return true;
  return pathsOverlap(filesOf(a), filesOf(b));
}
