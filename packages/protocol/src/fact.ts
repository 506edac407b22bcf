import { z } from "zod";
import { ATTEMPT_STATUSES, NewAttempt } from "./attempt.ts";
import { BACKLOG_CHOICES, BACKLOG_TYPES } from "./backlog.ts";
import type { Camel } from "./case.ts";
import { ChatMessage } from "./chat-message.ts";
import { PAUSE_REASONS } from "./execution.ts";
import { Id } from "./id.ts";
import { NODE_STATUSES, NodeChanges, NodeDesign, VERIFICATIONS } from "./plan-node.ts";
import { RUN_REASONS, RunResult } from "./run-result.ts";
import { Answer, NewTask, RETRY_CAUSES } from "./task.ts";
import { Count, IsoTime, Path, Text } from "./text.ts";
import { Tooling } from "./tooling.ts";

/**
 * Facts: the only way state changes. Past tense, complete payloads (replay needs nothing else), snake_case on disk and
 * on the wire. `state_at` is a whole saved state (snapshot.ts) and is kept as it is.
 */
const BacklogRef = z.object({ backlog_id: Id });

export const FACT_PAYLOADS = {
  "workspace.created": z.object({ project_root: Path, name: z.string(), wbs_id: Id }),
  "workspace.imported": z.object({
    project_root: Path,
    name: z.string(),
    from: z.string(),
    state_at: z.unknown(),
  }),

  "chat.message": z.object({ message: ChatMessage }),

  "node.created": z.object({ node: NodeDesign, parent_id: Id, index: Count }),
  "node.updated": z.object({ node_id: Id, changes: NodeChanges }),
  "node.moved": z.object({ node_id: Id, parent_id: Id, index: Count }),
  "node.deleted": z.object({ node_id: Id, cascade: z.boolean() }),
  "node.status_updated": z.object({
    node_id: Id,
    from: z.enum(NODE_STATUSES),
    to: z.enum(NODE_STATUSES),
    files: z.array(Path).optional(),
    note: Text.optional(),
  }),

  "task.created": z.object({ task: NewTask }),
  "task.started": z.object({ task_id: Id, attempt_id: Id }),
  "task.succeeded": z.object({ task_id: Id, attempt_id: Id }),
  "task.failed": z.object({
    task_id: Id,
    attempt_id: Id.nullable(),
    reason: z.enum(RUN_REASONS).nullable(),
    error: Text,
  }),
  /** `stopped`: the whole execution was stopped, so the task waits again; otherwise it stays CANCELED until someone runs it. */
  "task.canceled": z.object({ task_id: Id, attempt_id: Id.nullable(), stopped: z.boolean() }),
  "task.skipped": z.object({ task_id: Id, dependants_proceed: z.boolean() }),
  /** `counted: false` for rate limits, lost runners and infrastructure errors; `requested` when a person asked. */
  "task.retry_scheduled": z.object({
    task_id: Id,
    retry_at: IsoTime,
    reason: Text,
    cause: z.enum(RETRY_CAUSES),
  }),
  "task.blocked": z.object({ task_id: Id, backlog_id: Id }),
  "task.unblocked": z.object({ task_id: Id, answer: Answer.nullable() }),
  "task.result_ignored": z.object({ task_id: Id, attempt_id: Id, why: Text }),

  "attempt.started": z.object({ attempt: NewAttempt }),
  "attempt.finished": z.object({
    attempt_id: Id,
    task_id: Id,
    status: z.enum(ATTEMPT_STATUSES),
    finished_at: IsoTime,
    error_summary: Text.nullable(),
    result: RunResult.nullable(),
  }),

  "test.run": z.object({ node_id: Id, task_id: Id, result: z.enum(VERIFICATIONS), summary: Text }),

  "backlog.added": z.object({
    item: z.object({
      id: Id,
      task_id: Id.nullable(),
      type: z.enum(BACKLOG_TYPES),
      title: z.string(),
      description: Text,
      priority: z.int().min(1).max(5),
      created_at: IsoTime,
      metadata: z.record(z.string(), z.unknown()),
    }),
  }),
  "backlog.resolved": BacklogRef.extend({ resolution: Text, choice: z.enum(BACKLOG_CHOICES) }),
  "backlog.deleted": BacklogRef,

  "execution.started": z.object({}),
  "execution.paused": z.object({ reason: z.enum(PAUSE_REASONS) }),
  "execution.resumed": z.object({}),
  "execution.stopped": z.object({}),

  "tooling.changed": z.object({ tooling: Tooling }),

  "snapshot.created": z.object({ snapshot_id: Id, hash: z.string() }),
  /** Restoring is itself a fact: it carries the restored state, so that history is never cut. */
  "snapshot.restored": z.object({ snapshot_id: Id, state_at: z.unknown() }),

  "log.repaired": z.object({ file: z.string(), offset: Count, bytes: Count, kept_as: z.string() }),
  state_save_failed: z.object({ file: z.string(), error: Text }),
  history_failed: z.object({ action_id: z.string(), error: Text }),
} as const;

export type FactKind = keyof typeof FACT_PAYLOADS;
export type FactPayload<K extends FactKind> = Camel<z.output<(typeof FACT_PAYLOADS)[K]>>;
export const FACT_KINDS = Object.keys(FACT_PAYLOADS) as FactKind[];

/** What a decision returns: what happened, not yet stamped. */
export type NewFact = {
  [K in FactKind]: { readonly kind: K; readonly payload: FactPayload<K>; readonly by?: string };
}[FactKind];

/** A durable record in history/. `seq` orders; `tx`, `i` of `n` keep the facts of one commit together. */
export interface FactStamp {
  readonly v: 1;
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly workspaceId: string;
  readonly by: string;
  readonly tx: string;
  readonly i: number;
  readonly n: number;
}
export type FactOf<K extends FactKind> = FactStamp & {
  readonly kind: K;
  readonly payload: FactPayload<K>;
};
export type Fact = { [K in FactKind]: FactOf<K> }[FactKind];

/** The envelope as it stands on disk, without its checksum (that is the history file's own business). */
export const FactWire = z.object({
  v: z.literal(1),
  seq: z.int().positive(),
  id: z.string(),
  at: IsoTime,
  kind: z.enum(FACT_KINDS),
  workspace_id: z.string(),
  by: z.string(),
  tx: z.string(),
  i: Count,
  n: z.int().positive(),
  payload: z.unknown(),
});
export type FactWire = z.output<typeof FactWire>;
