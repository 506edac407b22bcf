import { z } from "zod";
import type { Camel } from "../case.ts";
import { Id } from "../id.ts";
import { Path, Text } from "../text.ts";

/** How a criterion proves itself. Only `command` is run by agent-runner; other kinds are hints for the meta-agent. */
const CriterionCheck = z.looseObject({
  kind: z.string().max(100).default("command"),
  command: z.string().max(32_768).optional(),
  cwd: Path.optional(),
});
type CriterionCheck = z.output<typeof CriterionCheck>;

/** One acceptance criterion as the meta-agent answers it. `AC-<n>` is assigned where it names no id. */
export const PlannedCriterion = z.object({
  id: Id.optional(),
  description: Text.min(1),
  type: z.string().max(100).optional(),
  critical: z.boolean().default(true),
  check: CriterionCheck.optional(),
});
export type PlannedCriterion = Camel<z.output<typeof PlannedCriterion>>;
