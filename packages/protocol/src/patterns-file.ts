import { z } from "zod";
import { Text } from "./text.ts";

/** patterns.yaml: ways of working that the meta-agent may name in `used_patterns`. */
export const PatternsFile = z.object({
  version: z.literal(1).default(1),
  patterns: z.record(
    z.string().max(100),
    z.object({ summary: Text.default(""), instructions: Text }),
  ),
});
export type PatternsFile = z.output<typeof PatternsFile>;
