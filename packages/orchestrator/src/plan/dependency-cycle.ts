import type { WorkspaceState } from "@multiverse/protocol/state";

/**
 * A cycle through one of the changed nodes, as the ids along it, or undefined. Every new cycle runs through a node whose
 * dependencies changed and which somebody depends on, so only those are searched from.
 */
export function* dependencyCycle(
  state: WorkspaceState,
  changed: Iterable<string>,
): Generator<undefined, string[] | undefined> {
  const clear = new Set<string>();
  for (const start of changed) {
    if (!state.index.dependants.get(start)?.size) continue;
    const cycle = yield* searchFrom(state, start, clear);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Nodes per step, where there are many. */
const STEP = 1_000;

/** Depth first without recursion (a chain of 10,000 is legal); `clear` holds nodes known to lead into no cycle. */
function* searchFrom(
  state: WorkspaceState,
  start: string,
  clear: Set<string>,
): Generator<undefined, string[] | undefined> {
  const path: { id: string; next: number }[] = [{ id: start, next: 0 }];
  const onPath = new Set([start]);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const dependency = state.nodes.get(top.id)?.dependencies[top.next++];
    if (dependency === undefined) {
      clear.add(top.id);
      if (clear.size % STEP === 0) yield;
      onPath.delete(top.id);
      path.pop();
    } else if (onPath.has(dependency)) {
      const ids = path.map((step) => step.id);
      return [...ids.slice(ids.indexOf(dependency)), dependency];
    } else if (!clear.has(dependency)) {
      onPath.add(dependency);
      path.push({ id: dependency, next: 0 });
    }
  }
  return undefined;
}
