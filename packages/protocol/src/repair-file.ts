import { z } from "zod";
import { FACT_KINDS } from "./fact.ts";
import { Count } from "./text.ts";

/** repair.json: a repair that was decided on and not yet recorded in history. Opening the workspace carries it out. */
export const RepairFile = z.object({
  /** Where the damaged files were copied to; also tells this repair from every other. */
  keptIn: z.string(),
  /** Where history is cut; null: nothing of it is good. */
  end: z.object({ file: z.string(), offset: Count }).nullable(),
  /** Files that come after the cut as a whole. */
  later: z.array(z.string()),
  facts: z.array(z.object({ kind: z.enum(FACT_KINDS), payload: z.unknown() })),
});
export type RepairFile = z.output<typeof RepairFile>;
