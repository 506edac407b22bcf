import { Candidate, type CategoryChoice } from "@multiverse/protocol/tooling";
import fc from "fast-check";
import { expect, test } from "vitest";
import { selectCandidate, type Standing } from "./select.ts";

const standing = (model: string, weight = 1, over: Partial<Standing> = {}): Standing => ({
  candidate: Candidate.parse({ tool: "codex-cli", model, weight }),
  available: true,
  cooling: false,
  ...over,
});
const pick = (
  strategy: CategoryChoice["strategy"],
  standings: Standing[],
  chance = 0,
  turn = 0,
): string | undefined => selectCandidate(strategy, standings, () => chance, turn)?.model;

const abc = [standing("a", 60), standing("b", 25), standing("c", 15)];

test.each([
  [0, "a"],
  [0.599, "a"],
  [0.6, "b"],
  [0.849, "b"],
  [0.85, "c"],
  [0.999, "c"],
])("weighted: chance %d falls on %s", (chance, model) => {
  expect(pick("weighted", abc, chance)).toBe(model);
});

test("a weight of zero or less counts as one", () => {
  const standings = [standing("a", 0), standing("b", -5), standing("c", 1)];
  expect([0.1, 0.5, 0.9].map((chance) => pick("weighted", standings, chance))).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("priority takes the first that can be used", () => {
  expect(pick("priority", abc)).toBe("a");
  expect(pick("priority", [standing("a", 1, { cooling: true }), standing("b")])).toBe("b");
});

test("round robin walks the list and passes over those that cannot be used", () => {
  expect([0, 1, 2, 3].map((turn) => pick("round_robin", abc, 0, turn))).toEqual([
    "a",
    "b",
    "c",
    "a",
  ]);
  const withGap = [standing("a"), standing("b", 1, { available: false }), standing("c")];
  expect([0, 1, 2].map((turn) => pick("round_robin", withGap, 0, turn))).toEqual(["a", "c", "c"]);
});

test("nobody is chosen who is unavailable or cooling, and somebody is whenever one is left", () => {
  const flags = fc.record({
    available: fc.boolean(),
    cooling: fc.boolean(),
    weight: fc.integer({ min: -5, max: 50 }),
  });
  fc.assert(
    fc.property(
      fc.array(flags, { minLength: 1, maxLength: 6 }),
      fc.constantFrom("weighted", "round_robin", "priority"),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.nat(20),
      (all, strategy, chance, turn) => {
        const standings = all.map(({ weight, ...over }, i) => standing(String(i), weight, over));
        const chosen = selectCandidate(strategy, standings, () => chance, turn);
        const usable = standings.filter(({ available, cooling }) => available && !cooling);
        const expected =
          chosen === null
            ? usable.length === 0
            : usable.some(({ candidate }) => candidate === chosen);
        expect(expected).toBe(true);
      },
    ),
  );
});
