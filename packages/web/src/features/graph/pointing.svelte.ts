import type { Viewport } from "./viewport.ts";
import { CARD } from "./plan-layout.ts";
import type { Place } from "./layered.ts";

interface Pointed {
  readonly id: string;
  readonly anchor: { getBoundingClientRect(): DOMRect };
}

const FIRST_MS = 400;
const NEXT_MS = 90;

/** The card the pointer rests on: one for the whole graph, so that a thousand cards carry no tooltips. */
export class Pointing {
  card: Pointed | null = $state.raw(null);
  #next: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  over(id: string | null, anchor: Pointed["anchor"] | null): void {
    if (id === this.#next) return;
    this.#next = id;
    clearTimeout(this.#timer);
    if (id === null || anchor === null) this.card = null;
    else
      this.#timer = setTimeout(
        () => (this.card = { id, anchor }),
        this.card === null ? FIRST_MS : NEXT_MS,
      );
  }

  leave = (): void => this.over(null, null);
}

/** Where a card that is only drawn lies on the screen. */
export function drawnCard(place: Place, view: Viewport, canvas: Element): Pointed["anchor"] {
  const box = canvas.getBoundingClientRect();
  const rect = new DOMRect(
    box.x + view.x + place.x * view.zoom,
    box.y + view.y + place.y * view.zoom,
    CARD.width * view.zoom,
    CARD.height * view.zoom,
  );
  return { getBoundingClientRect: () => rect };
}
