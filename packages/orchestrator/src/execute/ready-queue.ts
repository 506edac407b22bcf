import { compareClaims, type Claim } from "./plan-order.ts";

interface Entry {
  readonly id: string;
  readonly claim: Claim;
}

const isBefore = (a: Entry, b: Entry): boolean => compareClaims(a.claim, b.claim) < 0;

/**
 * Tasks that may be ready, best claim first, kept in step one task at a time (a binary heap), so that a finished task
 * costs its dependants and not the plan. An id that is no longer wanted is dropped when it comes up.
 */
export class ReadyQueue {
  private heap: Entry[] = [];
  private readonly present = new Set<string>();

  add(id: string, claim: Claim): void {
    if (this.present.has(id)) return;
    this.present.add(id);
    this.push({ id, claim });
  }

  /** Best first. Ids for which `keep` is false when they come up leave the queue; the others stay. */
  *inOrder(keep: (id: string) => boolean): Generator<string, void, void> {
    const seen: Entry[] = [];
    try {
      for (let entry = this.pop(); entry; entry = this.pop()) {
        seen.push(entry);
        if (keep(entry.id)) yield entry.id;
      }
    } finally {
      for (const entry of seen) {
        if (keep(entry.id)) this.push(entry);
        else this.present.delete(entry.id);
      }
    }
  }

  clear(): void {
    this.heap = [];
    this.present.clear();
  }

  private push(entry: Entry): void {
    let place = this.heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.at(parent);
      if (!isBefore(entry, above)) break;
      this.heap[place] = above;
      place = parent;
    }
    this.heap[place] = entry;
  }

  private pop(): Entry | undefined {
    const top = this.heap[0];
    const last = this.heap.pop();
    if (last === undefined || last === top) return top;
    let place = 0;
    for (;;) {
      const child = this.betterChild(place);
      if (child === null || !isBefore(this.at(child), last)) break;
      this.heap[place] = this.at(child);
      place = child;
    }
    this.heap[place] = last;
    return top;
  }

  private betterChild(place: number): number | null {
    const left = 2 * place + 1;
    if (left >= this.heap.length) return null;
    const right = left + 1;
    return right < this.heap.length && isBefore(this.at(right), this.at(left)) ? right : left;
  }

  private at(place: number): Entry {
    const entry = this.heap[place];
    if (!entry) throw new Error(`the heap has no place ${place}`);
    return entry;
  }
}
