import { compareClaims, type Claim } from "./plan-order.ts";

interface Entry {
  readonly id: string;
  readonly claim: Claim;
}

/**
 * Tasks that may be ready, best claim first, kept in step one task at a time (a binary heap), so that a finished task
 * costs its dependants and not the plan. An id that is no longer wanted is dropped when it comes up.
 */
export interface ReadyQueue {
  add(id: string, claim: Claim): void;
  /** Best first. Ids for which `keep` is false when they come up leave the queue; the others stay. */
  inOrder(keep: (id: string) => boolean): Iterable<string>;
  clear(): void;
}

export function readyQueue(): ReadyQueue {
  const heap: Entry[] = [];
  const present = new Set<string>();
  const before = (a: Entry, b: Entry) => compareClaims(a.claim, b.claim) < 0;

  function push(entry: Entry): void {
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  function pop(): Entry | undefined {
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || last === top) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!before(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  }

  return {
    add(id, claim) {
      if (present.has(id)) return;
      present.add(id);
      push({ id, claim });
    },
    *inOrder(keep) {
      const seen: Entry[] = [];
      try {
        for (let entry = pop(); entry; entry = pop()) {
          seen.push(entry);
          if (keep(entry.id)) yield entry.id;
        }
      } finally {
        for (const entry of seen) {
          if (keep(entry.id)) push(entry);
          else present.delete(entry.id);
        }
      }
    },
    clear() {
      heap.length = 0;
      present.clear();
    },
  };
}
