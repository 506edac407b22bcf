import type { PlanNode } from "../plan-node.ts";

const filesOf = (node: PlanNode): readonly string[] => node.suggestedImpl?.filePaths ?? [];

export const namesNoFiles = (node: PlanNode): boolean => filesOf(node).length === 0;

const within = (file: string, folder: string): boolean =>
  folder === "." || file === folder || file.startsWith(folder.replace(/\/?$/, "/"));

/** The paths of either node that lie in the other's; a folder contains its files. */
export function sharedPaths(a: PlanNode, b: PlanNode): string[] {
  const inside = (paths: readonly string[], others: readonly string[]): string[] =>
    paths.filter((path) => others.some((other) => within(path, other)));
  return [...new Set([...inside(filesOf(a), filesOf(b)), ...inside(filesOf(b), filesOf(a))])];
}

const touchTheSame = (a: PlanNode, b: PlanNode): boolean =>
  filesOf(a).some((x) => filesOf(b).some((y) => within(x, y) || within(y, x)));

/**
 * Whether two tasks may not share one working tree: they do only if both name their files, these do not overlap, and the
 * planner did not list them together.
 */
export function inConflict(a: PlanNode, b: PlanNode): boolean {
  if (namesNoFiles(a) || namesNoFiles(b)) return true;
  if (a.conflictsWith.includes(b.id) || b.conflictsWith.includes(a.id)) return true;
  return touchTheSame(a, b);
}
