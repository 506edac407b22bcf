import { z } from "zod";

/** What the demo worker prints, one JSON object a line; the last one is always `result`. */
export const DemoEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session"), id: z.string() }),
  z.object({ type: z.literal("message"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string() }),
  z.object({
    type: z.literal("command"),
    command: z.string(),
    exit_code: z.int(),
    output: z.string(),
  }),
  z.object({
    type: z.literal("file_change"),
    path: z.string(),
    change: z.enum(["write", "delete"]),
  }),
  z.object({
    type: z.literal("result"),
    ok: z.boolean(),
    summary: z.string(),
    failure: z.enum(["rate_limited", "other"]).optional(),
    retry_at: z.string().optional(),
  }),
]);
export type DemoEvent = z.output<typeof DemoEvent>;
