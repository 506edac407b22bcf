import { duration } from "../text/format.ts";
import type { Card } from "./card.ts";

/** How long a task has taken, or how long until it is tried again; empty when there is nothing to say. */
export function elapsed(card: Card, now: number): string {
  if (card.status === "RUNNING" && card.startedAt)
    return duration(now - Date.parse(card.startedAt));
  if (card.status === "RETRY_WAIT" && card.retryAt)
    return `↻ ${duration(Math.max(0, Date.parse(card.retryAt) - now))}`;
  if (card.startedAt && card.finishedAt)
    return duration(Date.parse(card.finishedAt) - Date.parse(card.startedAt));
  return "";
}
