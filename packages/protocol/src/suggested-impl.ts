import { z } from "zod";
import type { Camel } from "./case.ts";
import { LIMITS } from "./limits.ts";
import { Path, Text } from "./text.ts";

/** A hint of the planner on how to build a node; file paths also keep tasks apart that would collide. */
export const SuggestedImpl = z.object({
  language: z.string().max(100).default(""),
  file_paths: z.array(Path).max(LIMITS.filePaths).default([]),
  constraints: z.array(Text).max(LIMITS.criteria).default([]),
});
export type SuggestedImpl = Camel<z.output<typeof SuggestedImpl>>;

/** How a task is verified: a command that runs in the sandbox. */
export const TestCommand = z.object({
  command: z.string().min(1).max(LIMITS.commandLength),
  cwd: Path.default("."),
});
export type TestCommand = z.output<typeof TestCommand>;
