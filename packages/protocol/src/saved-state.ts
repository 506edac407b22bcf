import { Map as IMap } from "immutable";
import type { Attempt } from "./attempt.ts";
import type { BacklogItem } from "./backlog.ts";
import { find } from "./find.ts";
import { buildIndex } from "./index-state.ts";
import type { NodeRuntime, PlanNode } from "./plan-node.ts";
import type { ChatSession, NodeTest, WorkspaceState } from "./state.ts";
import type { Task } from "./task.ts";

/**
 * A state as plain JSON: what snapshots hold and what a browser gets first. Records are sorted by id and the derived
 * index is left out, so equal states give equal texts (with `canonicalJson`).
 */
export interface SavedState extends Omit<
  WorkspaceState,
  "nodes" | "runtimes" | "tasks" | "attempts" | "backlog" | "tests" | "sessions" | "index"
> {
  readonly nodes: readonly PlanNode[];
  readonly runtimes: readonly NodeRuntime[];
  readonly tasks: readonly Task[];
  readonly attempts: readonly Attempt[];
  readonly backlog: readonly BacklogItem[];
  readonly tests: readonly NodeTest[];
  readonly sessions: readonly ChatSession[];
}

const sorted = <T>(map: IMap<string, T>): T[] =>
  [...map.keys()].sort().map((key) => find(map, key));

export const saveState = (state: WorkspaceState): SavedState =>
  Object.fromEntries(savedEntries(state)) as unknown as SavedState;

/** The same field by field, each made when it is asked for: a large plan takes its time. */
export function* savedEntries(state: WorkspaceState): Generator<[keyof SavedState, unknown]> {
  const { index: _, nodes, runtimes, tasks, attempts, backlog, tests, sessions, ...rest } = state;
  yield* Object.entries(rest) as [keyof SavedState, unknown][];
  const maps = { nodes, runtimes, tasks, attempts, backlog, tests, sessions };
  for (const [key, map] of Object.entries(maps) as [keyof typeof maps, IMap<string, unknown>][])
    yield [key, sorted(map)];
}

function keyed<T>(records: readonly T[], key: (record: T) => string): Map<string, T> {
  const map = new Map<string, T>();
  for (const record of records) map.set(key(record), record);
  return map;
}

const immutable = <T>(records: ReadonlyMap<string, T>): IMap<string, T> =>
  IMap<string, T>().withMutations((map) => {
    for (const [id, record] of records) map.set(id, record);
  });

export function loadState(saved: SavedState): WorkspaceState {
  // The index looks up every record many times over, which plain maps do several times faster.
  const nodes = keyed(saved.nodes, (n) => n.id);
  const runtimes = keyed(saved.runtimes, (r) => r.nodeId);
  const tasks = keyed(saved.tasks, (t) => t.id);
  const attempts = keyed(saved.attempts, (a) => a.id);
  return {
    ...saved,
    nodes: immutable(nodes),
    runtimes: immutable(runtimes),
    tasks: immutable(tasks),
    attempts: immutable(attempts),
    backlog: immutable(keyed(saved.backlog, (b) => b.id)),
    tests: immutable(keyed(saved.tests, (t) => t.nodeId)),
    sessions: immutable(keyed(saved.sessions, (s) => s.id)),
    index: buildIndex({ nodes, runtimes, tasks, attempts }),
  };
}

/** JSON with sorted keys: equal values give equal text, whatever order they were built in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    const record = inner as Record<string, unknown>;
    return Object.fromEntries(
      Object.keys(record)
        .sort()
        .map((key) => [key, record[key]]),
    );
  });
}
