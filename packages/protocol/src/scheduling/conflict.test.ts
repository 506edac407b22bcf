import { expect, test } from "vitest";
import { sampleNode } from "../testing/samples.ts";
import { rootNode } from "../state.ts";
import type { PlanNode } from "../plan-node.ts";
import { inConflict, sharedPaths } from "./conflict.ts";

const naming = (...filePaths: string[]): PlanNode => ({
  ...rootNode("2026-01-01T00:00:00.000Z"),
  ...sampleNode("a"),
  suggestedImpl: { language: "", filePaths, constraints: [] },
});

test.each([
  [["src/a.ts"], ["src/b.ts"], []],
  [["src/a.ts"], ["src/a.ts"], ["src/a.ts"]],
  [["src/"], ["src/a.ts"], ["src/a.ts"]],
  [["src"], ["src/a.ts", "x"], ["src/a.ts"]],
  [["src"], ["srcs/a.ts"], []],
  [["."], ["x"], ["x"]],
])("%j and %j share %j", (a, b, shared) => {
  for (const [one, other] of [
    [naming(...a), naming(...b)],
    [naming(...b), naming(...a)],
  ] as const) {
    expect(sharedPaths(one, other)).toEqual(shared);
    expect(inConflict(one, other)).toBe(shared.length > 0);
  }
});

test("who names no files is in conflict with everybody", () => {
  expect(inConflict(naming(), naming("a"))).toBe(true);
  expect(sharedPaths(naming(), naming("a"))).toEqual([]);
});
