import { z } from "zod";
import type { Camel } from "./case.ts";
import { CriterionResult, RUN_STATES, RunResult } from "./run-result.ts";
import { META_CALLS } from "./meta/envelope.ts";
import { Usage } from "./usage.ts";

/** What a run reports while it goes on, one JSON object a line; the last one is always `finished`. */

const State = z.enum(RUN_STATES);
const Ms = z.number().nonnegative();

const StateEvent = z.object({ type: z.literal("state"), from: State, to: State });
const MetaEvent = z.object({
  type: z.literal("meta"),
  phase: z.enum(["started", "completed", "retry"]),
  call: z.enum(META_CALLS),
  provider: z.string(),
  model: z.string(),
  duration_ms: Ms.optional(),
  usage: Usage.optional(),
  message: z.string().optional(),
});
const ContainerEvent = z.object({
  type: z.literal("container"),
  phase: z.enum(["pulling", "starting", "started", "stopped"]),
  image: z.string(),
  container_id: z.string().optional(),
  duration_ms: Ms.optional(),
  message: z.string().optional(),
});
const WorkerEvent = z.object({
  type: z.literal("worker"),
  phase: z.enum(["started", "completed"]),
  run_id: z.string(),
  tool: z.string(),
  model: z.string(),
  exit_code: z.int().nullable().optional(),
  summary: z.string().optional(),
  files: z.array(z.string()).optional(),
  duration_ms: Ms.optional(),
  usage: Usage.optional(),
});
const WorkerStreamEvent = z.object({
  type: z.literal("worker_event"),
  run_id: z.string(),
  kind: z.enum(["message", "reasoning", "command", "file_change", "error"]),
  text: z.string(),
  exit_code: z.int().nullable().optional(),
  path: z.string().optional(),
});
const OutputEvent = z.object({
  type: z.literal("output"),
  stream: z.enum(["stdout", "stderr"]),
  line: z.string(),
});
const TestEvent = z.object({
  type: z.literal("test"),
  command: z.string(),
  exit_code: z.int(),
  duration_ms: Ms,
});
const CriteriaEvent = z.object({ type: z.literal("criteria"), criteria: z.array(CriterionResult) });
const LogEvent = z.object({
  type: z.literal("log"),
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()).default({}),
});
const FinishedEvent = z.object({ type: z.literal("finished"), result: RunResult });

export const RunEventBody = z.discriminatedUnion("type", [
  StateEvent,
  MetaEvent,
  ContainerEvent,
  WorkerEvent,
  WorkerStreamEvent,
  OutputEvent,
  TestEvent,
  CriteriaEvent,
  LogEvent,
  FinishedEvent,
]);
/** What a part of the runner says; the stamp (`v`, `at`, ids) is added where it leaves the process. */
export type RunEventBody = Camel<z.output<typeof RunEventBody>>;

const Stamp = z.object({
  v: z.literal(1),
  at: z.string(),
  trace_id: z.string(),
  task_id: z.string(),
});
export const RunEvent = z.intersection(Stamp, RunEventBody);
export type RunEvent = RunEventBody & Camel<z.output<typeof Stamp>>;
export type RunEventOf<T extends RunEventBody["type"]> = Extract<RunEventBody, { type: T }>;
