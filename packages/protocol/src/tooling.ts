import { z } from "zod";
import { Path } from "./text.ts";
import { MetaKindName } from "./worker-kind.ts";

/** Which tool and model does what (spec page 40). camelCase, as in config/tooling.json; Task YAML has it in snake_case. */
export const TOOL_CATEGORIES = ["meta", "plan", "task", "execution", "worker"] as const;
export type ToolCategory = (typeof TOOL_CATEGORIES)[number];

export const Candidate = z.object({
  tool: MetaKindName,
  model: z.string().max(200).default(""),
  weight: z.number().default(1),
  cliPath: Path.optional(),
  flags: z.array(z.string().max(1_000)).max(100).default([]),
  env: z.record(z.string(), z.string()).default({}),
  toolSpecific: z.record(z.string(), z.unknown()).default({}),
  systemPrompt: z.string().optional(),
});
export type Candidate = z.output<typeof Candidate>;

export const CategoryChoice = z.object({
  strategy: z.enum(["weighted", "round_robin", "priority"]).default("weighted"),
  fallbackOnRateLimit: z.boolean().default(true),
  cooldownSec: z.number().nonnegative().max(86_400).default(120),
  candidates: z.array(Candidate).min(1).max(50),
});
export type CategoryChoice = z.output<typeof CategoryChoice>;

export const Profile = z.object({
  id: z.string().min(1).max(100),
  name: z.string().max(200).default(""),
  categories: z.partialRecord(z.enum(TOOL_CATEGORIES), CategoryChoice),
});
export type Profile = z.output<typeof Profile>;

const Force = z.object({
  enabled: z.boolean().default(false),
  tool: z.string().default(""),
  model: z.string().default(""),
});

export const Tooling = z.object({
  activeProfile: z.string().default(""),
  profiles: z.array(Profile).max(50).default([]),
  force: Force.default({ enabled: false, tool: "", model: "" }),
});
export type Tooling = z.output<typeof Tooling>;
