/** A graph with known durations: each task's seconds and the places of its parents. */
export interface Dag {
  readonly name: string;
  readonly tasks: readonly (readonly [seconds: number, parents: readonly number[]])[];
}

/** Per task: the longest path that must be done before it starts, and the longest one from its start to the end. */
export interface Paths {
  readonly before: readonly number[];
  readonly remaining: readonly number[];
}

/** Parents may stand after their children in the recordings. */
export function pathsOf({ tasks }: Dag): Paths {
  const children = childrenOf(tasks);
  const secondsOf = (place: number): number => tasks[place]?.[0] ?? 0;
  const parentsOf = (place: number): readonly number[] => tasks[place]?.[1] ?? [];
  const before: number[] = [];
  const beforeOf = (place: number): number =>
    (before[place] ??= Math.max(0, ...parentsOf(place).map((p) => beforeOf(p) + secondsOf(p))));
  const remaining: number[] = [];
  const remainingOf = (place: number): number =>
    (remaining[place] ??=
      secondsOf(place) + Math.max(0, ...(children[place] ?? []).map(remainingOf)));
  tasks.forEach((_, place) => void [beforeOf(place), remainingOf(place)]);
  return { before, remaining };
}

export function childrenOf(tasks: Dag["tasks"]): number[][] {
  const children: number[][] = tasks.map(() => []);
  tasks.forEach(([, parents], place) => parents.forEach((p) => children[p]?.push(place)));
  return children;
}

/** What no schedule can beat: the longest path, and the work shared by all slots. */
export function lowerBound(dag: Dag, slots: number): number {
  const { remaining } = pathsOf(dag);
  return Math.max(...remaining, dag.tasks.reduce((sum, [seconds]) => sum + seconds, 0) / slots);
}

/**
 * The same, closer: the work that cannot begin before some moment and must be followed by something that takes long is
 * shared by the slots between the two.
 */
export function closerBound(dag: Dag, slots: number): number {
  const { before, remaining } = pathsOf(dag);
  const parts = dag.tasks.map(([seconds], place) => ({
    seconds,
    before: before[place] ?? 0,
    after: (remaining[place] ?? 0) - seconds,
  }));
  parts.sort((a, b) => b.after - a.after);
  let bound = lowerBound(dag, slots);
  for (const begin of new Set(parts.map((part) => part.before))) {
    let work = 0;
    for (const part of parts) {
      if (part.before < begin) continue;
      work += part.seconds;
      bound = Math.max(bound, begin + work / slots + part.after);
    }
  }
  return bound;
}
