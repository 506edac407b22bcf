import { seeded } from "@multiverse/orchestrator/store/simulation/random";
import { childrenOf, pathsOf, type Dag } from "./dag.ts";

const TRIES = 1_500;

/** The shortest schedule that a search finds which knows every duration and tries many orders: what might be won. */
export function bestMakespan(dag: Dag, slots: number): number {
  const random = seeded(11);
  const children = childrenOf(dag.tasks);
  let order = [...pathsOf(dag).remaining];
  let best = listSchedule(dag, children, slots, order);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const share = random() * 0.5;
    const spread = random();
    const changed = order.map((claim) =>
      random() < share ? claim * (1 + spread * (random() - 0.5)) : claim,
    );
    const makespan = listSchedule(dag, children, slots, changed);
    if (makespan > best) continue;
    best = makespan;
    order = changed;
  }
  return best;
}

/** Whenever a slot is free, the ready task with the largest claim starts. */
function listSchedule(
  { tasks }: Dag,
  children: readonly (readonly number[])[],
  slots: number,
  claims: readonly number[],
): number {
  const waiting = tasks.map(([, parents]) => parents.length);
  const ready = tasks.flatMap(([, parents], place) => (parents.length === 0 ? [place] : []));
  const running: { place: number; end: number }[] = [];
  let now = 0;
  for (;;) {
    ready.sort((a, b) => (claims[a] ?? 0) - (claims[b] ?? 0));
    while (running.length < slots && ready.length > 0) {
      const place = ready.pop() ?? 0;
      running.push({ place, end: now + (tasks[place]?.[0] ?? 0) });
    }
    running.sort((a, b) => b.end - a.end);
    const next = running.pop();
    if (!next) return now;
    now = next.end;
    for (const child of children[next.place] ?? []) {
      waiting[child] = (waiting[child] ?? 1) - 1;
      if (waiting[child] === 0) ready.push(child);
    }
  }
}
