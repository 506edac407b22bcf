import type { Place } from "./places.ts";

export type KeyAction =
  | { readonly do: "go"; readonly place: Place }
  | { readonly do: "palette" | "help" | "settings" | "escape" | "prefix" };

const AFTER_G: Readonly<Record<string, Place>> = {
  c: "chat",
  g: "graph",
  p: "plan",
  l: "log",
  b: "backlog",
  a: "activity",
  h: "history",
};

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

/** What a key press means for the page; `typing` when the keyboard is in a text field, `prefix` after a lone `g`. */
export function keyAction(event: Key, typing: boolean, prefix: boolean): KeyAction | null {
  if (event.isComposing || event.altKey) return null;
  if (event.ctrlKey || event.metaKey)
    return event.key.toLowerCase() === "k" ? { do: "palette" } : null;
  if (event.key === "Escape") return { do: "escape" };
  if (typing) return null;
  if (prefix) {
    if (event.key === "s") return { do: "settings" };
    const place = AFTER_G[event.key];
    return place ? { do: "go", place } : null;
  }
  if (event.key === "g") return { do: "prefix" };
  if (event.key === "/") return { do: "go", place: "filter" };
  return event.key === "?" ? { do: "help" } : null;
}

const FIELDS = "input:not([type=range]), textarea, [role=combobox]";

/** Whether letters typed now belong to a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches(FIELDS);
}
