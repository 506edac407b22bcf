import { z } from "zod";
import type { Camel } from "./case.ts";
import { Id } from "./id.ts";
import { LIMITS } from "./limits.ts";
import { IsoTime, Text } from "./text.ts";

/** A question shown in the chat with answer buttons; `backlog_id` is where its answer goes. */
export const ChatQuestion = z.object({
  backlog_id: Id,
  text: Text,
  options: z.array(z.string()).max(LIMITS.options),
  blocking: z.boolean(),
  default: z.string().nullable(),
});
export type ChatQuestion = Camel<z.output<typeof ChatQuestion>>;

export const ChatMessage = z.object({
  id: Id,
  session_id: Id,
  role: z.enum(["user", "assistant", "system"]),
  content: Text,
  timestamp: IsoTime,
  generated_tasks: z.array(Id),
  questions: z.array(ChatQuestion),
});
export type ChatMessage = Camel<z.output<typeof ChatMessage>>;
