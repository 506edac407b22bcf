import { expect, test } from "vitest";
import { retryTime } from "./failure.ts";

const now = new Date("2026-01-01T00:00:00.000Z");

test.each([
  ["Please try again in 1.5s.", "2026-01-01T00:00:01.500Z"],
  ["Rate limit reached. Please try again in 350ms.", "2026-01-01T00:00:00.350Z"],
  ["You've hit your usage limit. Try again in 3 hours 5 minutes.", "2026-01-01T03:05:00.000Z"],
  ["Suggested retry after 20s", "2026-01-01T00:00:20.000Z"],
  ["Your quota resets in 1h 2m 3s", "2026-01-01T01:02:03.000Z"],
  ["limit resets 2026-01-01T05:00:00Z", "2026-01-01T05:00:00.000Z"],
  ["Claude AI usage limit reached|1767229200", "2026-01-01T01:00:00.000Z"],
  ["try again in 4000 days", "2026-01-08T00:00:00.000Z"],
  ["resets 2020-01-01T00:00:00Z", null],
  ["Too many requests", null],
  ["version 3 m released", null],
])("%j lifts at %j", (message, at) => {
  expect(retryTime(message, now)).toBe(at);
});
