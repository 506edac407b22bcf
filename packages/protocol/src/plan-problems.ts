import { ROOT_ID } from "./plan-node.ts";
import type { WorkspaceState } from "./state.ts";

type Plan = Pick<WorkspaceState, "nodes" | "tasks" | "runtimes">;

/** Everything that is wrong with a plan, in O(plan). Empty for every state that facts can lead to; tests see to that. */
export function planProblems(state: Plan): string[] {
  const problems: string[] = [];
  if (!state.nodes.has(ROOT_ID)) problems.push("the root is missing");
  const parents = new Map<string, string[]>();
  for (const node of state.nodes.values()) {
    for (const child of node.children) {
      if (!state.nodes.has(child))
        problems.push(`${node.id} lists ${child}, which is not in the plan`);
      parents.set(child, [...(parents.get(child) ?? []), node.id]);
    }
    for (const id of node.dependencies) {
      if (!state.nodes.has(id))
        problems.push(`${node.id} depends on ${id}, which is not in the plan`);
    }
    for (const id of node.conflictsWith) {
      if (!state.nodes.has(id))
        problems.push(`${node.id} conflicts with ${id}, which is not in the plan`);
    }
    if (new Set(node.dependencies).size < node.dependencies.length)
      problems.push(`${node.id} depends on a node twice`);
  }
  for (const node of state.nodes.values()) {
    const listed = parents.get(node.id) ?? [];
    if (
      node.id === ROOT_ID
        ? listed.length > 0 || node.parentId !== null
        : listed.length !== 1 || listed[0] !== node.parentId
    ) {
      problems.push(
        `${node.id} has the parent ${node.parentId} and is listed by [${listed.join(", ")}]`,
      );
    }
  }
  for (const task of state.tasks.values()) {
    if (!state.nodes.has(task.nodeId))
      problems.push(`task ${task.id} belongs to ${task.nodeId}, which is not in the plan`);
  }
  for (const id of state.runtimes.keys())
    if (!state.nodes.has(id)) problems.push(`${id} has a status but no node`);
  return [...problems, ...circle(state, "children"), ...circle(state, "dependencies")];
}

/** A circle in the tree or among the dependencies, found by taking away nodes that lead nowhere. */
function circle(state: Plan, field: "children" | "dependencies"): string[] {
  const open = new Map<string, number>();
  const back = new Map<string, string[]>();
  for (const node of state.nodes.values()) {
    open.set(node.id, new Set(node[field]).size);
    for (const id of new Set(node[field])) back.set(id, [...(back.get(id) ?? []), node.id]);
  }
  const done = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of done) {
    for (const before of back.get(id) ?? []) {
      const left = (open.get(before) ?? 0) - 1;
      open.set(before, left);
      if (left === 0) done.push(before);
    }
  }
  const stuck = [...state.nodes.keys()].filter((id) => !done.includes(id));
  return stuck.length > 0 ? [`a circle of ${field} through ${stuck.slice(0, 5).join(", ")}`] : [];
}
