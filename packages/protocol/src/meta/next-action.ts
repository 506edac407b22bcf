import { z } from "zod";
import type { Camel } from "../case.ts";
import { LIMITS } from "../limits.ts";
import { Path, Text } from "../text.ts";

/** What a run has come to, as the meta-agent sees it; completion_assessment gets the same and more. */
export interface RunSituation {
  state: string;
  task: { id: string; title: string; prdSummary: string };
  acceptanceCriteria: {
    id: string;
    description: string;
    passed: boolean;
    comment: string;
    check: string | null;
  }[];
  lastWorkerResult: {
    exists: boolean;
    exitCode: number | null;
    summary: string;
    stdoutTail: string;
    files: string[];
  };
  lastTestResult: { command: string; exitCode: number; tail: string } | null;
  lastAssessment: {
    summary: string;
    failed: { id: string; comment: string }[];
    remainingRisks: string[];
  } | null;
  warnings: string[];
  workerRunsCount: number;
  loopsLeft: number;
  answers: { question: string; answer: string }[];
  /** Ways of working that may be named in `used_patterns`, the workspace's own included. */
  patterns?: { name: string; summary: string }[];
}

export const WorkerCall = z.object({
  worker_type: z.string().max(100).optional(),
  mode: z.enum(["exec", "resume"]).default("exec"),
  prompt: Text.min(1),
  model: z.string().max(200).optional(),
  temperature: z.number().optional(),
  max_tokens: z.number().optional(),
  reasoning_effort: z.string().max(50).optional(),
  cli_path: Path.optional(),
  flags: z.array(z.string().max(1_000)).max(100).default([]),
  env: z.record(z.string(), z.string()).default({}),
  tool_specific: z.record(z.string(), z.unknown()).default({}),
  workdir: Path.optional(),
  use_stdin: z.boolean().default(true),
});
export type WorkerCall = Camel<z.output<typeof WorkerCall>>;

/** The person may get options as buttons. A bare string is a question without options. */
const HumanQuestion = z.union([
  z
    .string()
    .min(1)
    .transform((text) => ({ text, options: [] as string[] })),
  z.object({
    text: Text.min(1),
    options: z.array(z.string().max(1_000)).max(LIMITS.options).default([]),
  }),
]);
type HumanQuestion = z.output<typeof HumanQuestion>;

/** `action` stays an open string here: an unknown one is the run's failure `unknown_action`, not a bad answer. */
export const NextActionAnswer = z
  .object({
    decision: z.object({ action: z.string().min(1).max(100), reason: Text.default("") }),
    worker_call: WorkerCall.optional(),
    question: HumanQuestion.optional(),
    used_patterns: z.array(z.string().max(200)).max(50).default([]),
  })
  .refine((a) => a.decision.action !== "run_worker" || a.worker_call !== undefined, {
    message: "run_worker needs worker_call.prompt",
    path: ["worker_call"],
  });
export type NextActionAnswer = Camel<z.output<typeof NextActionAnswer>>;
