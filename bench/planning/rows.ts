import { beside, type Row } from "../row.ts";
import { decomposeForm, planPatchForm } from "./forms.ts";
import { measure } from "./measure.ts";

/** Planning from nothing: `plan_patch` as measured, `decompose` as the floor. Counts, so every run gives the same. */
export async function run(): Promise<Row[]> {
  const [patch, parts] = [await measure(planPatchForm), await measure(decomposeForm)];
  const row = (name: string, value: number, unit: string, floor: number): Row =>
    beside(`plan_patch against decompose: ${name}`, value, unit, floor);
  const turns = `of ${patch.turns}`;
  return [
    row("planned at the first try", patch.atFirst, turns, parts.atFirst),
    row("rounds in all", patch.rounds, "rounds", parts.rounds),
    row("what was meant and is in the plan", patch.kept, `of ${patch.meant}`, parts.kept),
    row("question", patch.questionBytes, "bytes", parts.questionBytes),
    row("schema of the answer", patch.schemaBytes, "bytes", parts.schemaBytes),
    row("answers", patch.answerBytes, "bytes", parts.answerBytes),
  ];
}
