import { expect, test } from "vitest";
import { bestFits, fuzzyScore } from "./fuzzy.ts";

test("letters must come in order", () => {
  expect(fuzzyScore("gtc", "Go to the chat")).toBeGreaterThan(0);
  expect(fuzzyScore("zzz", "Go to the chat")).toBe(-1);
});

test("a whole word beats scattered letters", () => {
  expect(bestFits("log", ["Lot of gears", "Go to the log", "Changelog"], (x) => x, 3)[0]).toBe(
    "Changelog",
  );
  expect(bestFits("server", ["Serve every", "サーバー server"], (x) => x, 2)[0]).toBe(
    "サーバー server",
  );
});
