import { expect, test } from "vitest";
import {
  changeCategory,
  newCandidate,
  parseTooling,
  shareOf,
  showTooling,
} from "./tooling-draft.ts";

const text = `{"activeProfile":"p","profiles":[{"id":"p","categories":{"worker":{"candidates":[
  {"tool":"codex-cli","weight":3},{"tool":"claude-code","weight":1}]}}}]}`;

test("wrong JSON and wrong fields are named, and nothing is taken over", () => {
  expect(parseTooling("{").problems.length).toBe(1);
  const wrong = parseTooling('{"profiles":[{"id":"p","categories":{"worker":{"candidates":[]}}}]}');
  expect(wrong.tooling).toBeNull();
  expect(wrong.problems[0]).toContain("profiles.0.categories.worker.candidates");
});

test("a change touches one category and shows again as JSON", () => {
  const { tooling } = parseTooling(text);
  if (!tooling) throw new Error("the text is valid");
  const next = changeCategory(tooling, "p", "worker", { candidates: [newCandidate] });
  expect(parseTooling(showTooling(next)).tooling).toEqual(next);
  expect(next.profiles[0]?.categories.worker?.candidates.length).toBe(1);
});

test("weights work out as shares, none counts as one", () => {
  const all = [3, 0].map((weight) => ({ ...newCandidate, weight }));
  expect(all.map((candidate) => shareOf(candidate, all))).toEqual([75, 25]);
});
