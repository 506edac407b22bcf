import { expect, test } from "vitest";
import { Id } from "./id.ts";

test.each(["TASK-123", "a", "task-0001", "A.b_c-d", "x".repeat(128), "con1x"])(
  "%j is an id",
  (id) => {
    expect(Id.safeParse(id).success).toBe(true);
  },
);

test.each([
  "",
  ".",
  "..",
  "../x",
  "a/b",
  "a\\b",
  "a\0b",
  ".git",
  "-a",
  "a..b",
  "a.",
  "x".repeat(129),
  "CON",
  "con.txt",
  "NUL",
  "com1",
  "LPT9",
  "__proto__",
  "constructor",
  "é",
  "a%2fb",
  "a b",
  "日本",
])("%j is refused", (id) => {
  expect(Id.safeParse(id).success).toBe(false);
});
