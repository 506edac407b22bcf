import { Map as IMap, Set as ISet } from "immutable";
import { foldId } from "./id.ts";
import { countUnmet, isFurtherTask, isRunnable } from "./readiness.ts";
import type { Index, WorkspaceState } from "./state.ts";

type Records = Pick<WorkspaceState, "nodes" | "tasks" | "runtimes">;

/** The index from scratch, in O(plan): on load and in tests, where it must equal what `apply` kept in step. */
export function buildIndex(state: Records): Index {
  const dependants = new Map<string, string[]>();
  const unmet = new Map<string, number>();
  const extraTasks = new Map<string, string[]>();
  const runnable: string[] = [];
  const running: string[] = [];
  const push = (map: Map<string, string[]>, key: string, id: string) => {
    const list = map.get(key);
    if (list) list.push(id);
    else map.set(key, [id]);
  };
  for (const node of state.nodes.values()) {
    for (const id of new Set(node.dependencies)) push(dependants, id, node.id);
    unmet.set(node.id, countUnmet(state, node.id));
  }
  for (const task of state.tasks.values()) {
    if (isFurtherTask(task)) push(extraTasks, task.nodeId, task.id);
    if (task.progress === "running") running.push(task.id);
    if (isRunnable(state, unmet.get(task.nodeId) ?? 0, task)) runnable.push(task.id);
  }
  const ids = [...state.nodes.keys(), ...state.tasks.keys()];
  return {
    dependants: IMap([...dependants].map(([id, list]) => [id, ISet(list)])),
    unmet: IMap(unmet),
    runnable: ISet(runnable),
    running: ISet(running),
    folded: IMap(ids.map((id) => [foldId(id), id])),
    extraTasks: IMap([...extraTasks].map(([id, list]) => [id, ISet(list)])),
  };
}
