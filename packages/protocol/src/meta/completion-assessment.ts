import { z } from "zod";
import type { Camel } from "../case.ts";
import { LIMITS } from "../limits.ts";
import { Text } from "../text.ts";
import type { RunSituation } from "./next-action.ts";

export interface CompletionAssessmentRequest extends RunSituation {
  workerRuns: { id: string; exitCode: number | null; summary: string; files: string[] }[];
  diffStat: string;
}

export const CompletionAssessmentAnswer = z.object({
  all_criteria_satisfied: z.boolean().optional(),
  summary: Text.default(""),
  by_criterion: z
    .array(
      z.object({
        id: z.string().max(LIMITS.idLength),
        status: z.enum(["passed", "failed"]),
        comment: Text.default(""),
      }),
    )
    .max(LIMITS.criteria)
    .default([]),
  /** The older form of seed documents: a list of passed ids. */
  details: z
    .object({
      passed_criteria: z.array(z.string().max(LIMITS.idLength)).max(LIMITS.criteria).optional(),
      remaining_risks: z.array(Text).max(LIMITS.criteria).default([]),
    })
    .optional(),
});
export type CompletionAssessmentAnswer = Camel<z.output<typeof CompletionAssessmentAnswer>>;
