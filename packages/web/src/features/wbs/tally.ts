import type { Card } from "../../workspace/card.ts";
import type { TreeItem } from "./tree.ts";

/** How far the tasks of a branch are, its own task included. */
export interface Tally {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

/** The tally of every branch of the tree, by its key. */
export function tallies(
  items: readonly TreeItem[],
  cards: ReadonlyMap<string, Card>,
): ReadonlyMap<string, Tally> {
  const all = new Map<string, Tally>();
  for (const item of items) add(item, cards, all);
  return all;
}

function add(item: TreeItem, cards: ReadonlyMap<string, Card>, all: Map<string, Tally>): Tally {
  const status = item.taskId === null ? undefined : cards.get(item.taskId)?.status;
  const sum = {
    total: status === undefined ? 0 : 1,
    done: status === "SUCCEEDED" || status === "SKIPPED" ? 1 : 0,
    failed: status === "FAILED" ? 1 : 0,
    running: status === "RUNNING" ? 1 : 0,
  };
  for (const child of item.children) {
    const below = add(child, cards, all);
    sum.total += below.total;
    sum.done += below.done;
    sum.failed += below.failed;
    sum.running += below.running;
  }
  if (item.children.length > 0) all.set(item.key, sum);
  return sum;
}
