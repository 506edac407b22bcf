import { expect, test } from "vitest";
import { decomposeForm, planPatchForm } from "../../bench/planning/forms.ts";
import { measure } from "../../bench/planning/measure.ts";

/** What docs/decisions/008 rests on: if one of these no longer holds, the choice is to be made again. */
test("an empty plan is planned with plan_patch because it loses nothing and needs fewer rounds than decompose", async () => {
  const patch = await measure(planPatchForm);
  const parts = await measure(decomposeForm);
  expect(patch.turns).toBe(parts.turns);
  expect(patch.kept).toBe(patch.meant);
  expect(parts.kept).toBeLessThan(parts.meant);
  expect(patch.atFirst).toBeGreaterThan(parts.atFirst);
  expect(patch.rounds).toBeLessThan(parts.rounds);
  expect(parts.questionBytes).toBeLessThan(patch.questionBytes);
});
