import type { Ide } from "../../ide.svelte.ts";
import { prefs } from "../../prefs.svelte.ts";

export type Place =
  "chat" | "graph" | "plan" | "log" | "backlog" | "activity" | "history" | "filter";

const ELEMENT: Readonly<Record<Place, string>> = {
  chat: "composer",
  graph: "graph",
  plan: "wbs",
  log: "log-search",
  backlog: "side",
  activity: "side",
  history: "side",
  filter: "filter",
};

/** Opens the panel of a place and puts the keyboard there. */
export function focusPlace(ide: Ide, place: Place): void {
  switch (place) {
    case "chat":
    case "log":
      prefs.set({ hideBottom: false });
      ide.phone = place;
      break;
    case "graph":
    case "plan":
    case "filter":
      if (place !== "graph") prefs.set({ hideLeft: false });
      ide.phone = "plan";
      break;
    case "backlog":
      prefs.set({ hideRight: false });
      ide.show("inbox");
      break;
    case "activity":
    case "history":
      prefs.set({ hideRight: false });
      ide.show(place);
      break;
  }
  setTimeout(() => document.getElementById(ELEMENT[place])?.focus(), 30);
}
