import { createHash } from "node:crypto";

export type Variables = Readonly<Record<string, string>>;
export type Language = "en" | "ja";

/** Japanese has kana or kanji; everything else is answered in English. */
export const languageOf = (text: string): Language =>
  /[\u3040-\u30ff\u3400-\u9fff]/u.test(text) ? "ja" : "en";

/** A short name for any text, good for a file. */
export const slugOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 8);

/** A part of a script in one language with its variables filled in. */
export function fillIn<T>(value: T, language: Language, variables: Variables): unknown {
  const walk = (inner: unknown): unknown => {
    if (typeof inner === "string")
      return inner.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? "");
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== "object" || inner === null) return inner;
    const both = bilingual(inner);
    if (both) return walk(both[language]);
    return Object.fromEntries(
      Object.entries(inner).map(([key, each]) => [String(walk(key)), walk(each)]),
    );
  };
  return walk(value);
}

export const fillInText = (
  text: Bilingual | string,
  language: Language,
  variables: Variables,
): string => String(fillIn(text, language, variables));

type Bilingual = { readonly en: string; readonly ja: string };

function bilingual(value: object): Bilingual | null {
  if (!("en" in value) || !("ja" in value) || Object.keys(value).length !== 2) return null;
  const { en, ja } = value;
  return typeof en === "string" && typeof ja === "string" ? { en, ja } : null;
}
