import type { Place } from "./layered.ts";

export type Direction = "left" | "right" | "up" | "down";

export const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

interface Edges {
  readonly before: (id: string) => Iterable<string>;
  readonly after: (id: string) => Iterable<string>;
}

/** Where an arrow key leads: left and right along the edges, up and down to the nearest card of the column. */
export function walk(
  from: string,
  direction: Direction,
  places: ReadonlyMap<string, Place>,
  edges: Edges,
): string | null {
  const here = places.get(from);
  if (!here) return places.keys().next().value ?? null;
  if (direction === "left" || direction === "right") {
    const along = [...(direction === "left" ? edges.before(from) : edges.after(from))];
    return nearest(along, places, here);
  }
  const sign = direction === "up" ? -1 : 1;
  const column = [...places].filter(
    ([id, p]) => id !== from && Math.abs(p.x - here.x) < 120 && (p.y - here.y) * sign > 0,
  );
  return nearest(
    column.map(([id]) => id),
    places,
    here,
  );
}

function nearest(
  ids: readonly string[],
  places: ReadonlyMap<string, Place>,
  here: Place,
): string | null {
  let best: string | null = null;
  let distance = Infinity;
  for (const id of ids) {
    const place = places.get(id);
    if (!place) continue;
    const d = Math.abs(place.y - here.y) + Math.abs(place.x - here.x) / 1_000;
    if (d >= distance) continue;
    best = id;
    distance = d;
  }
  return best;
}
