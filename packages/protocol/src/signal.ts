import { z } from "zod";
import { EXECUTION_STATUSES, PAUSE_REASONS } from "./execution.ts";
import { BacklogItem } from "./backlog.ts";
import { TASK_STATUSES } from "./task.ts";

/** Live events, shown and forgotten. Names and fields are those of the seeds; `timestamp` is in every one. */
const timestamp = z.string();
const Status = z.enum(TASK_STATUSES);

export const CHAT_STEPS = [
  "Processing",
  "PlanPatching",
  "Persisting",
  "AutopilotStartingExecution",
  "AutopilotScheduling",
  "AutopilotPausedForQuestion",
  "Completed",
  "Failed",
] as const;
export type ChatStep = (typeof CHAT_STEPS)[number];

export const SIGNALS = {
  "task:created": z.object({ taskId: z.string(), title: z.string(), timestamp }),
  "task:stateChange": z.object({
    taskId: z.string(),
    oldStatus: Status,
    newStatus: Status,
    timestamp,
  }),
  "task:log": z.object({
    taskId: z.string(),
    attemptId: z.string(),
    stream: z.enum(["stdout", "stderr"]),
    line: z.string(),
    timestamp,
  }),
  "execution:stateChange": z.object({
    oldState: z.enum(EXECUTION_STATUSES),
    newState: z.enum(EXECUTION_STATUSES),
    pausedFor: z.enum(PAUSE_REASONS).nullable(),
    timestamp,
  }),
  "chat:progress": z.object({
    sessionId: z.string(),
    step: z.enum(CHAT_STEPS),
    message: z.string(),
    timestamp,
  }),
  "backlog:added": z.object({ item: BacklogItem, timestamp }),
  "process:metaUpdate": z.object({
    taskId: z.string(),
    taskTitle: z.string(),
    state: z.enum(["THINKING", "PLANNING", "ACTING", "OBSERVING", "IDLE"]),
    detail: z.string(),
    timestamp,
  }),
  "process:workerUpdate": z.object({
    taskId: z.string(),
    workerId: z.string(),
    status: z.enum(["RUNNING", "IDLE", "ERROR"]),
    command: z.string(),
    exitCode: z.int().nullable(),
    artifacts: z.array(z.string()),
    timestamp,
  }),
  "process:containerUpdate": z.object({
    taskId: z.string(),
    containerId: z.string(),
    status: z.enum(["STARTING", "RUNNING", "STOPPED"]),
    image: z.string(),
    timestamp,
  }),
} as const;

export type SignalName = keyof typeof SIGNALS;
export type SignalData<N extends SignalName> = z.output<(typeof SIGNALS)[N]>;
export type Signal = {
  [N in SignalName]: { readonly signal: N; readonly data: SignalData<N> };
}[SignalName];
