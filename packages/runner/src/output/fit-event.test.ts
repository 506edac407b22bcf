import { expect, test } from "vitest";
import { fittingLine } from "./fit-event.ts";

test("an event of usual size is not touched", () => {
  const event = {
    type: "output",
    line: "x".repeat(65_536),
    files: Array.from({ length: 3_000 }, (_, i) => `file-${i}`),
  };
  expect(JSON.parse(fittingLine(event))).toEqual(event);
});

test("an event that would be too long is cut until it fits, and stays an event", () => {
  const criteria = Array.from({ length: 200 }, (_, i) => ({
    id: `AC-${i}`,
    comment: "\u0001".repeat(100_000),
    passed: false,
  }));
  const files = Array.from({ length: 100_000 }, (_, i) => `folder/file-${i}`);
  const line = fittingLine({ type: "finished", result: { criteria, files, loops: 3 } });
  expect(Buffer.byteLength(line)).toBeLessThan(1_048_576);
  const parsed = JSON.parse(line) as { result: { criteria: unknown[]; loops: number } };
  expect(parsed.result.loops).toBe(3);
  expect(parsed.result.criteria.length).toBeGreaterThan(40);
});
