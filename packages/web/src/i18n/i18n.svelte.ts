import { en } from "./en.ts";
import { ja } from "./ja.ts";

export const LANGUAGES = ["en", "ja"] as const;
export type Language = (typeof LANGUAGES)[number];
export type MessageKey = keyof typeof en;
type Params = Readonly<Record<string, string | number>>;

const dictionaries: Record<Language, Readonly<Record<MessageKey, string>>> = { en, ja };

class Words {
  language: Language = $state("en");
}
export const words = new Words();

/**
 * A message in the person's language. `{name}` is filled in; a message with two forms ("one|other") picks by `n`.
 */
export function t(key: MessageKey, params?: Params): string {
  return fill(dictionaries[words.language][key], words.language, params);
}

export function fill(message: string, language: Language, params?: Params): string {
  if (params === undefined) return message;
  const [one, other] = message.split("|", 2);
  const single = new Intl.PluralRules(language).select(Number(params["n"] ?? 0)) === "one";
  const form = (other === undefined || single ? one : other) ?? "";
  return form.replace(/\{(\w+)\}/g, (all, name: string) => String(params[name] ?? all));
}

/** The language a browser asks for, among those we speak. */
export function preferredLanguage(asked: readonly string[]): Language {
  for (const tag of asked) {
    const language = LANGUAGES.find((l) => tag.toLowerCase().startsWith(l));
    if (language) return language;
  }
  return "en";
}
