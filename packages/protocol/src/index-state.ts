import { Map as IMap, Set as ISet } from "immutable";
import type { Attempt } from "./attempt.ts";
import { foldId } from "./id.ts";
import { countUnmet, isFurtherTask, isRunnable, type Lookup, type Plan } from "./readiness.ts";
import type { Index } from "./state.ts";

/** The index from scratch, in O(plan): on load and in tests, where it must equal what `apply` kept in step. */
export function buildIndex(state: Plan & { readonly attempts: Lookup<Attempt> }): Index {
  const dependants = new Map<string, string[]>();
  const unmet = new Map<string, number>();
  const extraTasks = new Map<string, string[]>();
  const attemptsOf = new Map<string, string[]>();
  const runnable: string[] = [];
  const running: string[] = [];
  const push = (map: Map<string, string[]>, key: string, id: string) => {
    const list = map.get(key);
    if (list) list.push(id);
    else map.set(key, [id]);
  };
  for (const node of state.nodes.values()) {
    if (node.dependencies.length === 0) continue;
    for (const id of new Set(node.dependencies)) push(dependants, id, node.id);
    const open = countUnmet(state, node.id);
    if (open > 0) unmet.set(node.id, open);
  }
  for (const task of state.tasks.values()) {
    if (isFurtherTask(task)) push(extraTasks, task.nodeId, task.id);
    if (task.progress === "running") running.push(task.id);
    if (isRunnable(state, unmet.get(task.nodeId) ?? 0, task)) runnable.push(task.id);
  }
  for (const { id, taskId } of state.attempts.values()) push(attemptsOf, taskId, id);
  return {
    dependants: IMap([...dependants].map(([id, list]) => [id, ISet(list)])),
    unmet: IMap(unmet),
    runnable: ISet(runnable),
    running: ISet(running),
    folded: foldedIds(state),
    extraTasks: IMap([...extraTasks].map(([id, list]) => [id, ISet(list)])),
    attemptsOf: IMap([...attemptsOf].map(([id, list]) => [id, ISet(list)])),
  };
}

/** A node and its implementing task share an id, which is entered once. */
const foldedIds = (state: Plan): IMap<string, string> =>
  IMap<string, string>().withMutations((map) => {
    for (const id of state.nodes.keys()) map.set(foldId(id), id);
    for (const id of state.tasks.keys()) if (!state.nodes.has(id)) map.set(foldId(id), id);
  });
