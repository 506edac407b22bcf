import type { Card } from "../../workspace/card.ts";
import { STATUS } from "../../ui/status.ts";
import { CARD, type PlanLayout } from "./plan-layout.ts";
import type { Viewport } from "./viewport.ts";

/** A whole plan as a picture: what elements are too many for. */
export interface Picture {
  readonly layout: PlanLayout;
  readonly cards: ReadonlyMap<string, Card>;
  readonly shown: ReadonlySet<string> | null;
  readonly selected: string | null;
  /** With the names of groups and tasks, where there is room for them. */
  readonly words: boolean;
  readonly colour: (token: string) => string;
}

const LINES_UP_TO = 4_000;
/** Below this zoom a card is its colour alone. */
export const TITLES_FROM = 0.16;

export function drawPlan(
  context: CanvasRenderingContext2D,
  size: { width: number; height: number },
  view: Viewport,
  picture: Picture,
): void {
  context.clearRect(0, 0, size.width, size.height);
  context.save();
  context.translate(view.x, view.y);
  context.scale(view.zoom, view.zoom);
  drawGroups(context, view, picture);
  if (picture.layout.places.size <= LINES_UP_TO && view.zoom > 0.05)
    drawEdges(context, view, picture);
  drawCards(context, size, view, picture);
  context.restore();
}

function drawGroups(context: CanvasRenderingContext2D, view: Viewport, picture: Picture): void {
  const { layout, colour } = picture;
  context.fillStyle = colour("--hover");
  context.strokeStyle = colour("--edge");
  for (const { x, y, width, height } of layout.groups) {
    context.fillRect(x, y, width, height);
    context.strokeRect(x, y, width, height);
  }
  if (!picture.words) return;
  // Names stay the same size on the screen, and are left out where they would run into each other.
  context.fillStyle = colour("--muted");
  context.font = `600 ${11 / view.zoom}px system-ui, sans-serif`;
  context.textBaseline = "bottom";
  for (const { name, x, y, width } of layout.groups)
    if (width * view.zoom > 60) context.fillText(name, x, y - 4 / view.zoom, width);
}

function drawEdges(context: CanvasRenderingContext2D, view: Viewport, picture: Picture): void {
  const { layout, cards, colour } = picture;
  context.strokeStyle = colour("--edge-strong");
  context.lineWidth = 1 / view.zoom;
  context.beginPath();
  for (const [id, to] of layout.places)
    for (const before of cards.get(id)?.dependencies ?? []) {
      const from = layout.places.get(before);
      if (!from) continue;
      context.moveTo(from.x + CARD.width, from.y + CARD.height / 2);
      context.lineTo(to.x, to.y + CARD.height / 2);
    }
  context.stroke();
}

function drawCards(
  context: CanvasRenderingContext2D,
  size: { width: number; height: number },
  view: Viewport,
  { layout, cards, shown, selected, words, colour }: Picture,
): void {
  const left = -view.x / view.zoom - CARD.width;
  const top = -view.y / view.zoom - CARD.height;
  const right = left + size.width / view.zoom + 2 * CARD.width;
  const bottom = top + size.height / view.zoom + 2 * CARD.height;
  const titles = words && view.zoom >= TITLES_FROM;
  context.font = `600 ${Math.min(26, 9 / view.zoom)}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  for (const [id, { x, y }] of layout.places) {
    if (x < left || x > right || y < top || y > bottom) continue;
    const card = cards.get(id);
    if (!card) continue;
    context.globalAlpha = shown && !shown.has(id) ? 0.18 : 1;
    context.fillStyle = colour(`--${STATUS[card.status].token}`);
    context.fillRect(x, y, CARD.width, CARD.height);
    if (titles) {
      context.fillStyle = colour("--background");
      context.fillText(
        `${STATUS[card.status].glyph} ${card.title}`.slice(0, 40),
        x + 12,
        y + CARD.height / 2,
        CARD.width - 20,
      );
    }
    if (id === selected) {
      context.strokeStyle = colour("--text");
      context.lineWidth = 3 / view.zoom;
      context.strokeRect(x, y, CARD.width, CARD.height);
    }
  }
  context.globalAlpha = 1;
}
