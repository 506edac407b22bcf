import { z } from "zod";
import { preferredLanguage } from "./i18n/i18n.svelte.ts";

/** What a person set about the look of the page; kept in this browser. */
const Prefs = z.object({
  theme: z.enum(["dark", "light", "system"]).default("dark"),
  language: z.enum(["en", "ja"]).optional(),
  notifications: z.boolean().default(false),
  chat: z.enum(["docked", "floating"]).default("docked"),
  left: z.number().default(260),
  right: z.number().default(370),
  bottom: z.number().default(290),
  split: z.number().default(0.55),
  hideLeft: z.boolean().default(false),
  hideRight: z.boolean().default(false),
  hideBottom: z.boolean().default(false),
});
type Prefs = z.output<typeof Prefs>;

const KEY = "multiverse";

function read(): Prefs {
  try {
    return Prefs.parse(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return Prefs.parse({}); // private window, or somebody else's value
  }
}

const values = $state(read());

export const prefs = {
  get values(): Readonly<Prefs> {
    return values;
  },
  get language() {
    return values.language ?? preferredLanguage(navigator.languages);
  },
  set(changes: Partial<Prefs>): void {
    Object.assign(values, changes);
    try {
      localStorage.setItem(KEY, JSON.stringify(values));
    } catch {
      // A page without storage still works; it only forgets.
    }
  },
};
