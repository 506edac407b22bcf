import { expect, test } from "vitest";
import { sends } from "./chat-session.ts";

const key = (changes: Partial<Parameters<typeof sends>[0]>) => ({
  key: "Enter",
  shiftKey: false,
  isComposing: false,
  keyCode: 13,
  ...changes,
});

test("Enter sends, Shift-Enter does not", () => {
  expect([sends(key({})), sends(key({ shiftKey: true }))]).toEqual([true, false]);
});

test("the Enter that ends an IME composition never sends", () => {
  expect([sends(key({ isComposing: true })), sends(key({ keyCode: 229 }))]).toEqual([false, false]);
});
