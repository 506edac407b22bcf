import { Settings } from "@multiverse/protocol/settings";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readGeneralForm, toGeneralForm, type GeneralForm } from "./general-form.ts";

const defaults = toGeneralForm(Settings.parse({}));

test("any settings come back from their form as they went in", () => {
  const settings = fc.record(
    {
      parallel: fc.constantFrom("safe", "always"),
      maxParallel: fc.integer({ min: 1, max: 64 }),
      logCapBytes: fc.integer({ min: 65_536, max: 2 ** 40 }),
      keepAttempts: fc.integer({ min: 1, max: 1_000_000 }),
      language: fc.constantFrom("en", "ja"),
      allowPrivateHosts: fc.array(fc.domain(), { maxLength: 5 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(settings, (some) => {
      const parsed = Settings.parse(some);
      expect(readGeneralForm(toGeneralForm(parsed))).toEqual({
        settings: parsed,
        wrong: new Set(),
      });
    }),
  );
});

test("an empty field stands for its default", () => {
  const empty: GeneralForm = { ...defaults, logMiB: null, keepAttempts: null, hosts: "\n  \n" };
  expect(readGeneralForm(empty).settings).toEqual(Settings.parse({}));
});

test.each<[Partial<GeneralForm>, (keyof GeneralForm)[]]>([
  [{ maxParallel: 0 }, ["maxParallel"]],
  [{ maxParallel: 65 }, ["maxParallel"]],
  [{ maxParallel: 1.5 }, ["maxParallel"]],
  [{ logMiB: 0.01 }, ["logMiB"]],
  [{ keepAttempts: -1 }, ["keepAttempts"]],
  [{ hosts: "db.internal\nnot a host" }, ["hosts"]],
  [{ hosts: "a,b", maxParallel: 0 }, ["maxParallel", "hosts"]],
])("%j is refused at its field", (changes, wrong) => {
  expect(readGeneralForm({ ...defaults, ...changes })).toEqual({
    settings: null,
    wrong: new Set(wrong),
  });
});
