import type { Card } from "../../workspace/card.ts";

const WEIGHT = { small: 1, medium: 3, large: 8 } as const;
const DEFAULT_WEIGHT = 3;

export interface CriticalPath {
  readonly ids: ReadonlySet<string>;
  /** Remaining weight along the path, in the units of effort. */
  readonly weight: number;
}

const isDone = (card: Card): boolean => card.status === "SUCCEEDED" || card.status === "SKIPPED";

/** The longest chain of unfinished tasks: what decides when the plan is through. */
export function criticalPath(cards: ReadonlyMap<string, Card>): CriticalPath {
  const best = new Map<string, { weight: number; from: string | null }>();
  for (const id of topological(cards)) {
    const card = cards.get(id);
    if (!card || isDone(card)) continue;
    let weight = 0;
    let from: string | null = null;
    for (const before of card.dependencies) {
      const reached = best.get(before);
      if (reached === undefined || reached.weight <= weight) continue;
      weight = reached.weight;
      from = before;
    }
    best.set(id, { weight: weight + (card.effort ? WEIGHT[card.effort] : DEFAULT_WEIGHT), from });
  }
  let end: string | null = null;
  let longest = 0;
  for (const [id, { weight }] of best) {
    if (weight <= longest) continue;
    end = id;
    longest = weight;
  }
  const ids = new Set<string>();
  for (let at = end; at !== null; at = best.get(at)?.from ?? null) ids.add(at);
  return { ids, weight: longest };
}

function topological(cards: ReadonlyMap<string, Card>): string[] {
  const open = new Map<string, number>();
  const next = new Map<string, string[]>();
  for (const { id, dependencies } of cards.values()) {
    const real = dependencies.filter((other) => cards.has(other));
    open.set(id, real.length);
    for (const other of real) {
      const list = next.get(other);
      if (list) list.push(id);
      else next.set(other, [id]);
    }
  }
  const queue = [...open].filter(([, n]) => n === 0).map(([id]) => id);
  for (const id of queue)
    for (const later of next.get(id) ?? []) {
      const left = (open.get(later) ?? 1) - 1;
      open.set(later, left);
      if (left === 0) queue.push(later);
    }
  return queue;
}
