import { expect, test } from "vitest";
import { planState } from "../../testing/plan-fixture.ts";
import { openItems, optionsOf, unblocks } from "./unblocks.ts";

const state = planState([
  { id: "q", state: "question" },
  { id: "x", after: ["q"] },
  { id: "y", after: ["x"] },
  { id: "f", state: "failed" },
  { id: "z" },
]);

test("the most urgent comes first", () => {
  expect(openItems(state).map((item) => item.type)).toEqual(["FAILURE", "QUESTION"]);
});

test("an answer unblocks everything that waits behind it", () => {
  const question = openItems(state).find((item) => item.type === "QUESTION");
  expect(question && unblocks(state, question)).toEqual(["x", "y"]);
  expect(question && optionsOf(question)).toEqual(["A file", "SQLite"]);
});
