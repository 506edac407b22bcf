import { expect, test } from "vitest";
import { createTail, headAndTail, tailOf } from "./text-tail.ts";

test("a tail is cut between characters and marked", () => {
  expect(tailOf("short", 10)).toBe("short");
  expect(tailOf("日本語です", 7)).toBe("… です");
});

test("a tail of lines stays small however much comes", () => {
  const tail = createTail(4_096);
  for (let i = 0; i < 100_000; i++) tail.add(`line ${i}`);
  expect(tail.text()).toMatch(/line 99999\n$/);
  expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(4_096 + 4);
});

test("beginning and end of a long text are kept", () => {
  const text = `begin${"x".repeat(1_000)}end`;
  expect(headAndTail(text, 100)).toMatch(/^begin.*characters left out.*end$/s);
});
