import type { RunEvent } from "@multiverse/protocol/run-event";
import type { Runs } from "./run-task.ts";
import type { Tracing } from "./tracing.ts";

/** Runs whose calls of models, worker runs and tests leave spans below that of their attempt. */
export const traceRuns = (runs: Runs, tracing: Tracing): Runs => ({
  ...runs,
  async *follow(attemptId, signal) {
    const events = runs.follow(attemptId, signal);
    try {
      for (;;) {
        const next = await events.next();
        if (next.done) return next.value;
        const work = workOf(next.value);
        if (work) recordWork(tracing, attemptId, next.value, work);
        yield next.value;
      }
    } finally {
      await events.return({ how: "lost", stderrTail: "" });
    }
  },
});

interface Work {
  readonly name: string;
  readonly durationMs: number;
  readonly failed: boolean;
}

/** What an event says has been done. */
function workOf(event: RunEvent): Work | null {
  if (event.type === "test")
    return { name: "test", durationMs: event.durationMs, failed: event.exitCode !== 0 };
  if (event.type === "worker" && event.phase === "completed") {
    const { tool, durationMs = 0, exitCode } = event;
    return { name: `worker ${tool}`, durationMs, failed: exitCode !== undefined && exitCode !== 0 };
  }
  if (event.type === "meta" && event.phase === "completed")
    return { name: `meta ${event.call}`, durationMs: event.durationMs ?? 0, failed: false };
  return null;
}

function recordWork(tracing: Tracing, attemptId: string, event: RunEvent, work: Work): void {
  const endMs = Date.parse(event.at);
  tracing.record({
    name: work.name,
    traceId: event.traceId,
    path: [attemptId, `${work.name} ${event.at}`],
    startMs: endMs - work.durationMs,
    endMs,
    failed: work.failed,
    attributes: { "multiverse.task_id": event.taskId, "multiverse.attempt_id": attemptId },
  });
}
