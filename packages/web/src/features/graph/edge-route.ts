import type { Place } from "./layered.ts";
import { CARD } from "./plan-layout.ts";

/** A level stretch of an edge: past the cards of one column. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

interface Column {
  readonly x: number;
  /** The upper edges of its cards, from above. */
  readonly tops: number[];
  /** How many edges pass between two cards already. */
  readonly used: Map<number, number>;
}

/** An edge this close to a card would touch it. */
const NEAR = 5;
/** Half of the room between two cards. */
const ASIDE = 9;
/** Edges that share a passage lie beside each other. */
const BESIDE = 4;
/** Longer edges pass behind what is in their way: nobody follows them with the eye. */
const FARTHEST = 40;

/** Finds the way of an edge: it passes between cards that have nothing to do with it, never behind them. */
export class EdgeRoutes {
  readonly #columns: Column[];
  readonly #places: ReadonlyMap<string, Place>;

  constructor(places: ReadonlyMap<string, Place>) {
    const columns = new Map<number, Column>();
    for (const { x, y } of places.values()) {
      const column: Column = columns.get(x) ?? { x, tops: [], used: new Map() };
      column.tops.push(y);
      columns.set(x, column);
    }
    for (const { tops } of columns.values()) tops.sort((a, b) => a - b);
    this.#columns = [...columns.values()].sort((a, b) => a.x - b.x);
    this.#places = places;
  }

  /** The stretches between the two cards; none where the straight way is free. */
  between(sourceId: string, targetId: string): Stretch[] {
    const source = this.#places.get(sourceId);
    const target = this.#places.get(targetId);
    if (!source || !target) return [];
    const end = { x: target.x, y: target.y + CARD.height / 2 };
    let at = { x: source.x + CARD.width, y: source.y + CARD.height / 2 };
    const stretches: Stretch[] = [];
    const first = firstAfter(this.#columns, (column) => column.x, source.x);
    for (let i = first; i < this.#columns.length && i - first < FARTHEST; i++) {
      const column = this.#columns[i];
      if (!column || column.x >= target.x) break;
      const y = passage(column, at, end);
      if (y === null) continue;
      stretches.push({ from: column.x - NEAR, to: column.x + CARD.width + NEAR, y });
      at = { x: column.x + CARD.width + NEAR, y };
    }
    return stretches;
  }
}

/** The height at which an edge gets past a column; null where its own way is free. */
function passage(column: Column, at: Place, end: Place): number | null {
  const enter = heightAt(at, end, column.x);
  const leave = heightAt(at, end, column.x + CARD.width);
  const low = Math.min(enter, leave) - NEAR;
  const high = Math.max(enter, leave) + NEAR;
  const { tops, used } = column;
  // The first card that ends below the way, if it also begins above its lower side.
  const i = firstAfter(tops, (top) => top, low - CARD.height);
  const top = tops[i];
  if (top === undefined || top >= high) return null;
  const wanted = (enter + leave) / 2;
  const above = Math.abs(top - ASIDE - wanted) <= Math.abs(top + CARD.height + ASIDE - wanted);
  const gap = above ? i : i + 1;
  const before = used.get(gap) ?? 0;
  used.set(gap, before + 1);
  const aside = before % 3 === 0 ? 0 : before % 3 === 1 ? BESIDE : -BESIDE;
  return (above ? top - ASIDE : top + CARD.height + ASIDE) + aside;
}

/** How high a curve that leaves and arrives level is at `x`. */
function heightAt(from: Place, to: Place, x: number): number {
  const part = Math.min(1, Math.max(0, (x - from.x) / Math.max(1, to.x - from.x)));
  return from.y + (to.y - from.y) * part * part * (3 - 2 * part);
}

/** The index of the first item whose value lies beyond `limit`, in a sorted list. */
function firstAfter<T>(items: readonly T[], value: (item: T) => number, limit: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && value(item) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The drawing of an edge: it leaves, passes and arrives level. */
export function edgePath(from: Place, stretches: readonly Stretch[], to: Place): string {
  let path = `M${from.x},${from.y}`;
  let at = from;
  for (const { from: left, to: right, y } of stretches) {
    path += `${curve(at, { x: left, y })}H${right}`;
    at = { x: right, y };
  }
  return path + curve(at, to);
}

function curve(from: Place, to: Place): string {
  const reach = Math.max(14, Math.abs(to.x - from.x) / 2);
  return `C${from.x + reach},${from.y} ${to.x - reach},${to.y} ${to.x},${to.y}`;
}
