import { expect, test } from "vitest";
import { en } from "./en.ts";
import { fill, preferredLanguage } from "./i18n.svelte.ts";
import { ja } from "./ja.ts";

const holes = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test("every message has the same holes in both languages", () => {
  for (const key of Object.keys(en) as (keyof typeof en)[])
    expect([key, holes(ja[key])]).toEqual([key, holes(en[key])]);
});

test("no sentence shouts", () => {
  for (const text of [...Object.values(en), ...Object.values(ja)])
    expect(text).not.toMatch(/[!！]/);
});

test("one and many are told apart where a language does", () => {
  expect(fill("{n} line|{n} lines", "en", { n: 1 })).toBe("1 line");
  expect(fill("{n} line|{n} lines", "en", { n: 2 })).toBe("2 lines");
  expect(fill("{n} 行", "ja", { n: 2 })).toBe("2 行");
});

test("the browser's wish decides the language, English where it knows no other", () => {
  expect(preferredLanguage(["fr", "ja-JP", "en"])).toBe("ja");
  expect(preferredLanguage(["fr"])).toBe("en");
});
