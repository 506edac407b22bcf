import type { TaskStatus } from "@multiverse/protocol/task";
import type { MessageKey } from "../i18n/i18n.svelte.ts";

/** A status is a colour and a shape and a word, so that no one of the three has to be seen. */
export interface StatusLook {
  /** The token of its colour, without `--`. */
  readonly token: string;
  readonly glyph: string;
  readonly word: MessageKey;
}

export const STATUS: Readonly<Record<TaskStatus, StatusLook>> = {
  PENDING: { token: "pending", glyph: "○", word: "status.PENDING" },
  READY: { token: "ready", glyph: "◔", word: "status.READY" },
  RUNNING: { token: "running", glyph: "◐", word: "status.RUNNING" },
  SUCCEEDED: { token: "succeeded", glyph: "✓", word: "status.SUCCEEDED" },
  FAILED: { token: "failed", glyph: "✕", word: "status.FAILED" },
  BLOCKED: { token: "blocked", glyph: "⚠", word: "status.BLOCKED" },
  RETRY_WAIT: { token: "retry", glyph: "↻", word: "status.RETRY_WAIT" },
  CANCELED: { token: "canceled", glyph: "–", word: "status.CANCELED" },
  SKIPPED: { token: "canceled", glyph: "–", word: "status.SKIPPED" },
};

/** Statuses in the order people care about them. */
export const STATUS_ORDER: readonly TaskStatus[] = [
  "RUNNING",
  "FAILED",
  "BLOCKED",
  "RETRY_WAIT",
  "READY",
  "PENDING",
  "SUCCEEDED",
  "SKIPPED",
  "CANCELED",
];
