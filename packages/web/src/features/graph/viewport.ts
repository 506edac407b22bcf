import type { Card } from "../../workspace/card.ts";
import type { Place } from "./layered.ts";
import { CARD, type PlanLayout } from "./plan-layout.ts";

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Below this a card shows less, and larger. */
export const MID_ZOOM = 0.72;
/** Below this its words are larger again, so that a whole plan of a dozen tasks can still be read. */
export const SMALL_ZOOM = 0.54;
/** Below this a large plan is drawn on a canvas instead of as elements. */
export const FAR_ZOOM = 0.4;
export const LARGE_PLAN = 300;
export const MIN_ZOOM = 0.02;
export const MAX_ZOOM = 1.6;

/** The whole plan in view, never larger than life. */
export function fitAll(layout: PlanLayout, { width, height }: Size): Viewport {
  const margin = 20;
  const zoom = clampZoom(
    Math.min(
      1,
      (width - 2 * margin) / Math.max(1, layout.width),
      (height - 2 * margin) / Math.max(1, layout.height),
    ),
  );
  return {
    zoom,
    x: (width - layout.width * zoom) / 2,
    y: (height - layout.height * zoom) / 2,
  };
}

export const clampZoom = (zoom: number): number => Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, zoom));

export function centreOn(place: Place, zoom: number, { width, height }: Size): Viewport {
  return {
    zoom,
    x: width / 2 - (place.x + CARD.width / 2) * zoom,
    y: height / 2 - (place.y + CARD.height / 2) * zoom,
  };
}

const LOOKED_FOR = ["RUNNING", "FAILED", "BLOCKED", "READY", "PENDING", "SUCCEEDED"] as const;

/** Where to look first: a small plan whole, a large one where work goes on or is stuck. */
export function firstView(
  layout: PlanLayout,
  cards: ReadonlyMap<string, Card>,
  size: Size,
): Viewport {
  const whole = fitAll(layout, size);
  if (whole.zoom >= (size.width < 560 ? MID_ZOOM : FAR_ZOOM)) return whole;
  for (const status of LOOKED_FOR)
    for (const card of cards.values()) {
      const place = card.status === status ? layout.places.get(card.id) : undefined;
      if (place) return centreOn(place, 0.8, size);
    }
  return whole;
}

/**
 * After a new layout: the card that was looked at (the selected one, or the one nearest to the middle) stays where it
 * was on the screen.
 */
export function keepPlace(
  viewport: Viewport,
  before: PlanLayout,
  after: PlanLayout,
  selected: string | null,
  size: Size,
): Viewport {
  const id = anchor(viewport, before, after, selected, size);
  const was = id === null ? undefined : before.places.get(id);
  const is = id === null ? undefined : after.places.get(id);
  if (!was || !is) return viewport;
  return {
    ...viewport,
    x: viewport.x + (was.x - is.x) * viewport.zoom,
    y: viewport.y + (was.y - is.y) * viewport.zoom,
  };
}

function anchor(
  { x, y, zoom }: Viewport,
  before: PlanLayout,
  after: PlanLayout,
  selected: string | null,
  { width, height }: Size,
): string | null {
  if (selected !== null && before.places.has(selected) && after.places.has(selected))
    return selected;
  const middle = { x: (width / 2 - x) / zoom, y: (height / 2 - y) / zoom };
  let best: string | null = null;
  let distance = Infinity;
  for (const [id, place] of before.places) {
    if (!after.places.has(id)) continue;
    const d =
      Math.abs(place.x + CARD.width / 2 - middle.x) +
      Math.abs(place.y + CARD.height / 2 - middle.y);
    if (d >= distance) continue;
    best = id;
    distance = d;
  }
  return best;
}

/** Whether a card lies wholly inside the view. */
export function isInView(place: Place, { x, y, zoom }: Viewport, { width, height }: Size): boolean {
  const left = place.x * zoom + x;
  const top = place.y * zoom + y;
  return (
    left >= 0 && top >= 0 && left + CARD.width * zoom <= width && top + CARD.height * zoom <= height
  );
}

/** The card under a point of the screen. */
export function cardAt(
  point: Place,
  { x, y, zoom }: Viewport,
  places: ReadonlyMap<string, Place>,
): string | null {
  const at = { x: (point.x - x) / zoom, y: (point.y - y) / zoom };
  for (const [id, place] of places)
    if (
      at.x >= place.x &&
      at.x <= place.x + CARD.width &&
      at.y >= place.y &&
      at.y <= place.y + CARD.height
    )
      return id;
  return null;
}
