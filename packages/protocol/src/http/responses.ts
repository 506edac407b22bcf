import { z } from "zod";
import { BacklogItem } from "../backlog.ts";
import { ChatLine } from "../entity-files.ts";
import { EXECUTION_STATUSES, PAUSE_REASONS } from "../execution.ts";
import { PlanChangeTitles } from "../plan-change.ts";
import { Conditions } from "../scheduling/conditions.ts";
import { AttemptView, ChangedFile, TaskView } from "./task-view.ts";

/** Answers of the routes of spec page 80. */
export const WorkspaceSummary = z.object({
  id: z.string(),
  name: z.string(),
  projectRoot: z.string(),
  open: z.boolean(),
  lastOpenedAt: z.string(),
  /** Why it is read-only, with the file and offset; null when all is well. */
  damage: z.string().nullable(),
});
export type WorkspaceSummary = z.output<typeof WorkspaceSummary>;
export const WorkspaceList = z.object({ workspaces: z.array(WorkspaceSummary) });
export const TaskList = z.object({ seq: z.int(), tasks: z.array(TaskView) });
export const AttemptList = z.object({ attempts: z.array(AttemptView) });
export const AttemptLog = z.object({ text: z.string(), after: z.int(), size: z.int() });
export const Note = z.object({ path: z.string(), markdown: z.string() });
export const Changes = z.object({ files: z.array(ChangedFile), truncated: z.boolean() });
export const PoolList = z.object({
  pools: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      maxParallel: z.int(),
      running: z.int(),
      queued: z.int(),
    }),
  ),
  conditions: Conditions,
});
export const ChatSessionView = z.object({
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messageCount: z.int(),
});
export const ChatSessionList = z.object({ sessions: z.array(ChatSessionView) });
export const ChatMessages = z.object({ messages: z.array(ChatLine) });
/** The user's message is durable when this is answered; the assistant's answer follows as a fact. */
export const MessageAccepted = z.object({ messageId: z.string(), seq: z.int() });
export const ExecutionView = z.object({
  status: z.enum(EXECUTION_STATUSES),
  pausedFor: z.enum(PAUSE_REASONS).nullable(),
  since: z.string().nullable(),
});
export const BacklogList = z.object({ items: z.array(BacklogItem) });
export const SnapshotList = z.object({
  snapshots: z.array(
    z.object({ id: z.string(), seq: z.int(), createdAt: z.string(), bytes: z.int() }),
  ),
});
export const DoctorCheck = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(["ok", "warning", "missing"]),
  detail: z.string(),
  hint: z.string(),
});
export type DoctorCheck = z.output<typeof DoctorCheck>;
export const DoctorReport = z.object({ checks: z.array(DoctorCheck), demo: z.boolean() });
export type DoctorReport = z.output<typeof DoctorReport>;
export const ProcessList = z.object({
  processes: z.array(
    z.object({
      taskId: z.string(),
      attemptId: z.string(),
      pid: z.int().nullable(),
      phase: z.string(),
      tool: z.string(),
      model: z.string(),
      startedAt: z.string(),
      containerId: z.string().nullable(),
    }),
  ),
});
export const FolderList = z.object({ folders: z.array(z.string()) });
export const ToolList = z.object({
  tools: z.array(
    z.object({ id: z.string(), available: z.boolean(), detail: z.string(), hint: z.string() }),
  ),
});
export const ModelList = z.object({ models: z.array(z.string()) });
export const ValidationAnswer = z.object({ valid: z.boolean(), warnings: z.array(z.string()) });
export const ConnectionTest = z.object({
  ok: z.boolean(),
  message: z.string(),
  hint: z.string(),
  durationMs: z.number(),
});
/** What an undo changed, by title. */
export const PlanUndone = z.object({
  ok: z.literal(true),
  seq: z.int(),
  change: PlanChangeTitles,
});
export const Done = z.object({ ok: z.literal(true), seq: z.int().optional() });
