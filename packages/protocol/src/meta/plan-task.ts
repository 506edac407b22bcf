import { z } from "zod";
import type { Camel } from "../case.ts";
import { LIMITS } from "../limits.ts";
import type { SuggestedImpl, TestCommand } from "../suggested-impl.ts";
import { PlannedCriterion } from "./criterion.ts";

/** What the meta-agent is shown to turn a task into acceptance criteria. */
export interface PlanTaskRequest {
  task: {
    id: string;
    title: string;
    description: string;
    wbsLevel: number;
    phaseName: string;
    milestone: string;
    dependencies: string[];
  };
  prd: string;
  suggestedImpl: SuggestedImpl | null;
  test: TestCommand | null;
}

export const PlanTaskAnswer = z.object({
  task_id: z.string().max(LIMITS.idLength).optional(),
  acceptance_criteria: z.array(PlannedCriterion).min(1).max(LIMITS.criteria),
});
export type PlanTaskAnswer = Camel<z.output<typeof PlanTaskAnswer>>;
