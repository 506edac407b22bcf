import { z } from "zod";
import type { Camel } from "../case.ts";
import { Id } from "../id.ts";
import { TaskSection } from "../task-file.ts";
import { Text, Title } from "../text.ts";

/** What the meta-agent is shown to turn one sentence into one task. */
export interface BuildTaskRequest {
  rawPrompt: string;
  /** The id the task has to carry, and the words its title has to hold. */
  taskId: string;
  title: string;
  workspacePath: string;
}

/** What a model that has seen Task YAMLs adds out of habit: harmless, and not used. */
const HabitualRunner = z.strictObject({
  max_loops: z.int().optional(),
  meta: z
    .strictObject({
      kind: z.string().optional(),
      model: z.string().optional(),
      temperature: z.number().optional(),
    })
    .optional(),
  worker: z.strictObject({ kind: z.string().optional(), model: z.string().optional() }).optional(),
});

/**
 * A Task YAML (spec page 10) as a model may write one: what is wanted, never how it is run. A key that is not named
 * here (an environment, a mount, a network, a sandbox) makes the whole answer unusable.
 */
export const BuildTaskAnswer = z.strictObject({
  version: z.union([z.literal(1), z.literal("1")]).optional(),
  task: z.strictObject({
    ...TaskSection.shape,
    id: Id,
    title: Title.min(1),
    prd: z.strictObject({ text: Text.min(1) }),
  }),
  runner: HabitualRunner.optional(),
});
export type BuildTaskAnswer = Camel<z.output<typeof BuildTaskAnswer>>;
