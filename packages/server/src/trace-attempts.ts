import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import type { Tracing } from "./tracing.ts";

/** A span for every attempt that ends, under the trace id of what set it going. */
export const traceAttempts = (workspace: Workspace, tracing: Tracing): (() => void) =>
  workspace.subscribe((facts, state) => {
    for (const fact of facts) {
      if (fact.kind !== "attempt.finished") continue;
      const attempt = state.attempts.get(fact.payload.attemptId);
      if (!attempt) continue;
      tracing.record({
        name: "attempt",
        traceId: attempt.traceId,
        path: [attempt.id],
        startMs: Date.parse(attempt.startedAt),
        endMs: Date.parse(fact.payload.finishedAt),
        failed: fact.payload.status !== "SUCCEEDED",
        attributes: {
          "multiverse.workspace_id": workspace.id,
          "multiverse.task_id": attempt.taskId,
          "multiverse.attempt_id": attempt.id,
          "multiverse.status": fact.payload.status,
        },
      });
    }
  });
