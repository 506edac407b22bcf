import { layered, rankBoxes, type Box, type Layout, type Place } from "./layered.ts";

/** Every card has the same size, so that a layout never jumps when something in a card changes. */
export const CARD = { width: 220, height: 84 } as const;
const GAP = { gapX: 44, gapY: 18 } as const;
const PADDING = 14;
const HEADER = 30;
const GROUP_GAP = { gapX: 36, gapY: 26 } as const;

export interface PlanItem {
  readonly id: string;
  readonly group: string;
  readonly after: readonly string[];
}

export interface GroupBox extends Place {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

export interface PlanLayout {
  readonly places: ReadonlyMap<string, Place>;
  readonly groups: readonly GroupBox[];
  readonly width: number;
  readonly height: number;
}

export function layoutPlan(
  items: readonly PlanItem[],
  previous?: ReadonlyMap<string, Place>,
): PlanLayout {
  const groups = byGroup(items);
  if (groups.size <= 1) {
    const only = layered(boxesOf(items), { ...GAP, ...(previous && { previous }) });
    return { ...only, groups: [] };
  }
  const after = groupsAfter(items);
  return isAcyclic(after) ? nested(groups, after, previous) : lanes(items, groups, previous);
}

const boxesOf = (items: readonly PlanItem[]): Box[] =>
  items.map(({ id, after }) => ({ id, after, ...CARD }));

function byGroup(items: readonly PlanItem[]): Map<string, PlanItem[]> {
  const groups = new Map<string, PlanItem[]>();
  for (const item of items) {
    const list = groups.get(item.group);
    if (list) list.push(item);
    else groups.set(item.group, [item]);
  }
  return groups;
}

/** Which groups stand before which, because one of theirs is needed by one of the other's. */
function groupsAfter(items: readonly PlanItem[]): Map<string, Set<string>> {
  const groupOf = new Map(items.map((item) => [item.id, item.group]));
  const after = new Map<string, Set<string>>();
  for (const { group, after: ids } of items) {
    const set = after.get(group) ?? new Set();
    after.set(group, set);
    for (const id of ids) {
      const other = groupOf.get(id);
      if (other !== undefined && other !== group) set.add(other);
    }
  }
  return after;
}

function isAcyclic(after: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const done = new Set<string>();
  let left = [...after.keys()];
  while (left.length > 0) {
    const free = left.filter((g) => [...(after.get(g) ?? [])].every((o) => done.has(o)));
    if (free.length === 0) return false;
    for (const group of free) done.add(group);
    left = left.filter((g) => !done.has(g));
  }
  return true;
}

/** Each group laid out on its own, then the groups as boxes: what comes first stands left. */
function nested(
  groups: ReadonlyMap<string, readonly PlanItem[]>,
  after: ReadonlyMap<string, ReadonlySet<string>>,
  previous?: ReadonlyMap<string, Place>,
): PlanLayout {
  const inner = new Map<string, Layout>();
  for (const [name, members] of groups)
    inner.set(name, layered(boxesOf(members), { ...GAP, ...(previous && { previous }) }));
  const outer = layered(
    [...inner].map(([name, { width, height }]) => ({
      id: name,
      width: width + 2 * PADDING,
      height: height + HEADER + PADDING,
      after: [...(after.get(name) ?? [])],
    })),
    GROUP_GAP,
  );
  const places = new Map<string, Place>();
  const boxes: GroupBox[] = [];
  for (const [name, { x, y }] of outer.places) {
    const layout = inner.get(name);
    if (!layout) continue;
    boxes.push({
      name,
      x,
      y,
      width: layout.width + 2 * PADDING,
      height: layout.height + HEADER + PADDING,
    });
    for (const [id, place] of layout.places)
      places.set(id, { x: x + PADDING + place.x, y: y + HEADER + place.y });
  }
  return { places, groups: boxes, width: outer.width, height: outer.height };
}

/** Groups that need each other both ways become lanes over the same columns. */
function lanes(
  items: readonly PlanItem[],
  groups: ReadonlyMap<string, readonly PlanItem[]>,
  previous?: ReadonlyMap<string, Place>,
): PlanLayout {
  const ranks = rankBoxes(boxesOf(items));
  const pitch = CARD.width + GAP.gapX;
  const columns = Math.max(0, ...ranks.values()) + 1;
  const width = columns * pitch - GAP.gapX + 2 * PADDING;
  const places = new Map<string, Place>();
  const boxes: GroupBox[] = [];
  let top = 0;
  for (const [name, members] of groups) {
    const layout = layered(boxesOf(members), { ...GAP, ranks, ...(previous && { previous }) });
    for (const [id, place] of layout.places)
      places.set(id, { x: PADDING + (ranks.get(id) ?? 0) * pitch, y: top + HEADER + place.y });
    const height = layout.height + HEADER + PADDING;
    boxes.push({ name, x: 0, y: top, width, height });
    top += height + GROUP_GAP.gapY;
  }
  return { places, groups: boxes, width, height: Math.max(0, top - GROUP_GAP.gapY) };
}
