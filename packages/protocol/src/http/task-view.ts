import { z } from "zod";
import { ATTEMPT_STATUSES } from "../attempt.ts";
import { RUN_REASONS } from "../run-result.ts";
import { TASK_KINDS, TASK_STATUSES } from "../task.ts";

/** A task as routes show it: node, task and runtime joined (camelCase). */
const CamelValidation = z.object({
  overall: z.enum(["passed", "failed", "unknown"]),
  commands: z.array(z.object({ command: z.string(), exitCode: z.int(), durationMs: z.number() })),
  warnings: z.array(z.string()),
});

export const TaskView = z.object({
  id: z.string(),
  nodeId: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUSES),
  kind: z.enum(TASK_KINDS),
  poolId: z.string(),
  priority: z.int().nullable(),
  phaseName: z.string(),
  milestone: z.string(),
  wbsLevel: z.int(),
  workType: z.string(),
  domain: z.string(),
  tags: z.array(z.string()),
  effort: z.string().nullable(),
  dependencies: z.array(z.string()),
  parentId: z.string().nullable(),
  order: z.int(),
  blockedBecause: z.string().nullable(),
  /** Why it does not run although it waits for no other task and no answer. */
  heldBecause: z.string().nullable(),
  acceptanceCriteria: z.array(z.string()),
  suggestedImpl: z
    .object({
      language: z.string(),
      filePaths: z.array(z.string()),
      constraints: z.array(z.string()),
    })
    .nullable(),
  test: z.object({ command: z.string(), cwd: z.string() }).nullable(),
  nodeStatus: z.string(),
  verification: z.string(),
  attemptCount: z.int(),
  currentAttempt: z.string().nullable(),
  nextRetryAt: z.string().nullable(),
  retryReason: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  startedAt: z.string().nullable(),
  doneAt: z.string().nullable(),
  outcome: z
    .object({
      attemptId: z.string(),
      status: z.enum(["succeeded", "failed", "blocked"]),
      reason: z.enum(RUN_REASONS).nullable(),
      summary: z.string(),
      criteria: z.array(
        z.object({
          id: z.string(),
          description: z.string(),
          passed: z.boolean(),
          comment: z.string(),
        }),
      ),
      validation: CamelValidation,
      files: z.array(z.string()),
      note: z.string().nullable(),
    })
    .nullable(),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    usd: z.number().nullable(),
  }),
});
export type TaskView = z.output<typeof TaskView>;

export const AttemptView = z.object({
  id: z.string(),
  taskId: z.string(),
  number: z.int(),
  status: z.enum(ATTEMPT_STATUSES),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  errorSummary: z.string().nullable(),
  reason: z.enum(RUN_REASONS).nullable(),
  summary: z.string(),
  tool: z.string(),
  model: z.string(),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    usd: z.number().nullable(),
  }),
  /** The result JSON as agent-runner wrote it (snake_case inside). Only in the single attempt's route. */
  result: z.unknown().optional(),
});
export type AttemptView = z.output<typeof AttemptView>;

export const ChangedFile = z.object({
  path: z.string(),
  status: z.enum(["added", "modified", "deleted", "binary", "link", "too_large", "unreadable"]),
  diff: z.string(),
  /** Editors, git, package managers or CI run or obey it by themselves: look at it before they do. */
  needsReview: z.boolean(),
});
export type ChangedFile = z.output<typeof ChangedFile>;
