import { z } from "zod";

/** The parts of a request that a scripted answer depends on, as they stand on the wire. */

export const PlanningRequest = z.object({
  user_input: z.string(),
  existing_tasks: z.array(z.object({ title: z.string() })).default([]),
});

export const PlanTaskRequest = z.object({ task: z.object({ title: z.string() }) });

export const BuildTaskRequest = z.object({
  raw_prompt: z.string(),
  task_id: z.string(),
  title: z.string(),
});

export const SituationRequest = z.object({
  task: z.object({ title: z.string() }),
  acceptance_criteria: z.array(
    z.object({
      id: z.string(),
      description: z.string(),
      passed: z.boolean(),
      comment: z.string(),
      check: z.string().nullable(),
    }),
  ),
  last_worker_result: z.object({
    exists: z.boolean(),
    exit_code: z.number().nullable(),
    summary: z.string(),
  }),
  last_test_result: z.object({ command: z.string(), exit_code: z.number() }).nullable(),
  worker_runs_count: z.number(),
  answers: z.array(z.object({ question: z.string(), answer: z.string() })).default([]),
});
export type SituationRequest = z.output<typeof SituationRequest>;
