import { z } from "zod";
import type { Camel } from "../case.ts";
import { WbsLevel } from "../facets.ts";
import { LIMITS } from "../limits.ts";
import { CriterionText, Effort, PotentialConflict } from "../plan-patch.ts";
import { SuggestedImpl } from "../suggested-impl.ts";
import { Text, Title } from "../text.ts";

export const DecomposeAnswer = z.object({
  understanding: Text.default(""),
  phases: z
    .array(
      z.object({
        name: Title,
        milestone: Title.default(""),
        tasks: z
          .array(
            z.object({
              id: z.string().max(LIMITS.idLength),
              title: Title,
              description: Text.default(""),
              acceptance_criteria: z.array(CriterionText).max(LIMITS.criteria).default([]),
              dependencies: z
                .array(z.string().max(LIMITS.idLength))
                .max(LIMITS.dependencies)
                .default([]),
              wbs_level: WbsLevel.default(0),
              estimated_effort: Effort.optional(),
              suggested_impl: SuggestedImpl.optional(),
            }),
          )
          .max(LIMITS.operations),
      }),
    )
    .max(100),
  potential_conflicts: z.array(PotentialConflict).max(LIMITS.operations).default([]),
});
export type DecomposeAnswer = Camel<z.output<typeof DecomposeAnswer>>;
