import { expect, test } from "vitest";
import { keyAction } from "./keys.ts";

const press = (key: string, changes = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  ...changes,
});

test("letters belong to the field while one types", () => {
  expect(keyAction(press("g"), true, false)).toBeNull();
  expect(keyAction(press("/"), true, false)).toBeNull();
});

test("the palette opens from everywhere", () => {
  expect(keyAction(press("k", { ctrlKey: true }), true, false)).toEqual({ do: "palette" });
  expect(keyAction(press("K", { metaKey: true }), false, false)).toEqual({ do: "palette" });
});

test("g and a letter go places", () => {
  expect(keyAction(press("g"), false, false)).toEqual({ do: "prefix" });
  expect(keyAction(press("l"), false, true)).toEqual({ do: "go", place: "log" });
  expect(keyAction(press("l"), false, false)).toBeNull();
});

test("a composition is left alone", () => {
  expect(keyAction(press("Escape", { isComposing: true }), true, false)).toBeNull();
});
