import { z } from "zod";
import { ATTEMPT_STATUSES } from "./attempt.ts";
import { LIMITS } from "./limits.ts";
import { TASK_STATUSES } from "./task.ts";

/** The views under tasks/, attempts/ and chat/, camelCase, one file per thing. (backlog/ holds BacklogItem as it is.) */
const Time = z.string();

/** One line of tasks/<task-id>.jsonl: the task as it was at that moment; the last line counts. */
export const TaskLine = z.looseObject({
  id: z.string(),
  title: z.string().default(""),
  description: z.string().default(""),
  status: z.preprocess(
    (value) => (value === "COMPLETED" ? "SUCCEEDED" : value),
    z.enum(TASK_STATUSES),
  ),
  poolId: z.string().default("default"),
  createdAt: Time,
  updatedAt: Time.optional(),
  startedAt: Time.nullish(),
  doneAt: Time.nullish(),
  attemptCount: z.number().default(0),
  nextRetryAt: Time.nullish(),
  dependencies: z.array(z.string()).default([]),
  parentId: z.string().nullish(),
  wbsLevel: z.number().default(0),
  phaseName: z.string().default(""),
  milestone: z.string().default(""),
  workType: z.string().default(""),
  domain: z.string().default(""),
  tags: z.array(z.string()).default([]),
  acceptanceCriteria: z.array(z.string()).default([]),
  rawPrompt: z.string().default(""),
});
export type TaskLine = z.output<typeof TaskLine>;

export const AttemptFile = z.object({
  id: z.string(),
  taskId: z.string(),
  status: z.enum(ATTEMPT_STATUSES),
  startedAt: Time,
  finishedAt: Time.nullable(),
  errorSummary: z.string().nullable(),
  tool: z.string(),
  model: z.string(),
  /** The result JSON as agent-runner wrote it (snake_case inside, as on page 10). */
  result: z.unknown().nullable(),
  logPath: z.string(),
});
export type AttemptFile = z.output<typeof AttemptFile>;

/** One line of chat/<session-id>.jsonl. */
export const ChatLine = z.object({
  id: z.string(),
  sessionId: z.string(),
  role: z.enum(["user", "assistant", "system"]),
  content: z.string(),
  timestamp: Time,
  generatedTasks: z.array(z.string()).default([]),
  questions: z
    .array(
      z.object({
        backlogId: z.string(),
        text: z.string(),
        options: z.array(z.string()).max(LIMITS.options),
        blocking: z.boolean(),
        default: z.string().nullable(),
      }),
    )
    .default([]),
});
export type ChatLine = z.output<typeof ChatLine>;

/** What stands before `state` in snapshots/<id>.json; `hash` is SHA-256 over the text of `state`. */
export const SnapshotHeader = z.object({
  version: z.int().nonnegative(),
  id: z.string(),
  seq: z.int().nonnegative(),
  createdAt: Time,
  reason: z.enum(["automatic", "stop", "requested", "safety"]),
  /** Where in history the first fact after it stands, so that opening need not read what came before. */
  history: z.object({ file: z.string(), offset: z.int().nonnegative() }),
  hash: z.string(),
});
export type SnapshotHeader = z.output<typeof SnapshotHeader>;
