import { expect, test } from "vitest";
import { bytes, dollars, duration, percent, relativeTime, tokens } from "./format.ts";

test("durations read like a clock", () => {
  expect([0, 5_400, 72_000, 3_661_000].map(duration)).toEqual(["0:00", "0:05", "1:12", "1:01:01"]);
});

test("money, tokens and sizes keep only digits that say something", () => {
  expect([0, 0.004, 1.239, 123.4].map(dollars)).toEqual(["$0", "<$0.01", "$1.24", "$123"]);
  expect([999, 1_500, 12_300, 2_000_000].map(tokens)).toEqual(["999", "1.5k", "12k", "2M"]);
  expect([10, 2_048, 5 * 1_048_576].map(bytes)).toEqual(["10 B", "2 KB", "5 MB"]);
});

test("a hundred per cent is shown only when everything is done", () => {
  expect(percent(999, 1_000)).toBe(99);
  expect(percent(0, 0)).toBe(0);
});

test("times are relative, and what lies in the future is now", () => {
  const now = Date.parse("2026-01-01T10:00:00Z");
  expect(relativeTime("2026-01-01T09:57:00Z", now, "en")).toBe("3m ago");
  expect(relativeTime("2026-01-01T10:00:04Z", now, "en")).toBe("now");
});
