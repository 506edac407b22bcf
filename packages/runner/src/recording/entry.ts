import { z } from "zod";

/** The lines of a recording: who was called, what was reported meanwhile, and what came back, in the order it happened. */
const Call = z.object({ kind: z.literal("call"), call: z.string() });
const Line = z.object({
  kind: z.literal("line"),
  call: z.string(),
  stream: z.enum(["stdout", "stderr"]),
  line: z.string(),
});
const Event = z.object({ kind: z.literal("event"), event: z.looseObject({ type: z.string() }) });
const Return = z.object({
  kind: z.literal("return"),
  call: z.string(),
  at_ms: z.number(),
  value: z.unknown().optional(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      hint: z.string(),
      retryable: z.boolean(),
      retry_at: z.string().nullable(),
      /** The call of the meta-agent that it ended. */
      meta_call: z.unknown().optional(),
    })
    .optional(),
});
/** Every text a model sent, also those that could not be used: for people, not for the replay. */
const Raw = z.object({ kind: z.literal("raw"), entry: z.unknown() });
/** Somebody stopped the run here. */
const Abort = z.object({ kind: z.literal("abort") });
export const RecordingEntry = z.discriminatedUnion("kind", [Call, Line, Event, Return, Raw, Abort]);
export type RecordingEntry = z.output<typeof RecordingEntry>;
export type RecordedReturn = z.output<typeof Return>;

export const RecordingHeader = z.object({
  kind: z.literal("recording"),
  v: z.literal(1),
  task_id: z.string(),
  trace_id: z.string(),
  started_at: z.string(),
  /** The task file as it was read, so that a recording can be replayed without it. */
  task: z.string(),
});
export type RecordingHeader = z.output<typeof RecordingHeader>;
