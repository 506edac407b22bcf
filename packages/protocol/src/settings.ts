import { z } from "zod";
import { Text } from "./text.ts";
import { MetaKindName } from "./worker-kind.ts";

/** config/llm.json: which meta-agent plans. Never a key: those stay in the environment. */
export const LlmSettings = z.object({
  kind: MetaKindName.default("openai-chat"),
  model: z.string().max(200).default(""),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  systemPrompt: Text.optional(),
});
export type LlmSettings = z.output<typeof LlmSettings>;

/** config/settings.json: what a person can set about the product itself. */
export const Settings = z.object({
  parallel: z.enum(["safe", "always"]).default("safe"),
  maxParallel: z.int().min(1).max(64).optional(),
  logCapBytes: z
    .int()
    .min(65_536)
    .default(64 * 1_048_576),
  keepAttempts: z.int().min(1).default(1_000),
  language: z.enum(["en", "ja"]).optional(),
  allowPrivateHosts: z
    .array(
      z
        .string()
        .max(253)
        .regex(/^[^\s,]+$/, "is no host"),
    )
    .max(100)
    .default([]),
});
export type Settings = z.output<typeof Settings>;

/** $MULTIVERSE_HOME/server.json (0600): how our own CLI finds the running server. */
export const ServerFile = z.object({
  url: z.string(),
  pid: z.int(),
  token: z.string(),
  startedAt: z.string().optional(),
});
export type ServerFile = z.output<typeof ServerFile>;
