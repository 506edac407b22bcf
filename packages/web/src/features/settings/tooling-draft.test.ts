import fc from "fast-check";
import { expect, test } from "vitest";
import {
  activeProfile,
  addProfile,
  changeCategory,
  freeCategories,
  newCandidate,
  parseTooling,
  removeCategory,
  removeProfile,
  renameProfile,
  shareOf,
  showTooling,
} from "./tooling-draft.ts";

const text = `{"activeProfile":"p","profiles":[{"id":"p","categories":{"worker":{"candidates":[
  {"tool":"codex-cli","weight":3},{"tool":"claude-code","weight":1}]}}}]}`;

function tooling(json = text) {
  const parsed = parseTooling(json);
  if (parsed.tooling === null) throw new Error(parsed.problems.join());
  return parsed.tooling;
}

test("wrong JSON and wrong fields are named, and nothing is taken over", () => {
  expect(parseTooling("{").problems.length).toBe(1);
  const wrong = parseTooling('{"profiles":[{"id":"p","categories":{"worker":{"candidates":[]}}}]}');
  expect(wrong.tooling).toBeNull();
  expect(wrong.problems[0]).toContain("profiles.0.categories.worker.candidates");
});

test("a change touches one category and shows again as JSON", () => {
  const next = changeCategory(tooling(), "p", "worker", { candidates: [newCandidate] });
  expect(tooling(showTooling(next))).toEqual(next);
  expect(next.profiles[0]?.categories.worker?.candidates.length).toBe(1);
});

test("a category is added with one candidate, and taken away again", () => {
  const more = changeCategory(tooling(), "p", "meta");
  const [profile] = more.profiles;
  if (!profile) throw new Error("the profile is there");
  expect(profile.categories.meta?.candidates).toEqual([newCandidate]);
  expect(freeCategories(profile)).toEqual(["plan", "task", "execution"]);
  expect(removeCategory(more, "p", "meta")).toEqual(tooling());
});

test("a new profile is in use, under an id of its own", () => {
  const first = addProfile(tooling("{}"), "Night shift");
  const copy = addProfile(first, "Night shift", activeProfile(first));
  expect(copy.profiles.map(({ id }) => id)).toEqual(["night-shift", "night-shift-2"]);
  expect(copy.activeProfile).toBe("night-shift-2");
  expect(activeProfile(renameProfile(copy, "night-shift-2", "Day"))?.name).toBe("Day");
  const back = removeProfile(copy, "night-shift-2");
  expect(back).toEqual(first);
  expect(removeProfile(back, "night-shift").activeProfile).toBe("");
});

test("whatever a profile is called, what comes of it is valid", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 200, unit: "grapheme" }), { maxLength: 5 }),
      (names) => {
        const all = names.reduce(
          (before, name) => addProfile(before, name.slice(0, 200)),
          tooling(),
        );
        expect(tooling(showTooling(all))).toEqual(all);
        expect(new Set(all.profiles.map(({ id }) => id)).size).toBe(names.length + 1);
      },
    ),
  );
});

test("weights work out as shares, none counts as one", () => {
  const all = [3, 0].map((weight) => ({ ...newCandidate, weight }));
  expect(all.map((candidate) => shareOf(candidate, all))).toEqual([75, 25]);
});
