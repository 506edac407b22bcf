import { z } from "zod";
import { Id } from "./id.ts";
import { IsoTime, Text, Title } from "./text.ts";

export const BACKLOG_TYPES = ["FAILURE", "QUESTION", "BLOCKER"] as const;

/** Something a person must answer or decide, as it stands in backlog/<id>.json and in HTTP bodies (camelCase). */
export const BacklogItem = z.object({
  id: Id,
  taskId: Id.nullable(),
  type: z.enum(BACKLOG_TYPES),
  title: Title,
  description: Text,
  /** 1 to 5; 5 is most urgent. */
  priority: z.int().min(1).max(5),
  createdAt: IsoTime,
  resolvedAt: IsoTime.nullable(),
  resolution: Text.nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
export type BacklogItem = z.output<typeof BacklogItem>;

/** What a person can do with an item. `answer` fits a question, the others a failure or a blocker. */
export const BACKLOG_CHOICES = [
  "answer",
  "retry",
  "skip",
  "skip_and_proceed",
  "drop",
  "dismiss",
] as const;
export type BacklogChoice = (typeof BACKLOG_CHOICES)[number];
