import { spawn } from "node:child_process";
import { once } from "node:events";
import type { RunEnd, RunTask } from "@multiverse/orchestrator/ports";
import { runResult, type FakeRuns } from "@multiverse/orchestrator/testing/fake-runs";
import type { RunEvent } from "@multiverse/protocol/run-event";

export interface SleepingRuns extends FakeRuns {
  /** When each run's process was there, and when it had ended, in ms of `performance.now()`, by task. */
  readonly startedAt: ReadonlyMap<string, number>;
  readonly endedAt: ReadonlyMap<string, number>;
}

/** Runs as real processes that only sleep: what is left is the engine's own time. */
export function sleepingRuns(seconds: number): SleepingRuns {
  const startedAt = new Map<string, number>();
  const endedAt = new Map<string, number>();
  const ends = new Map<string, Promise<unknown>>();
  const taskOf = new Map<string, string>();
  const start: RunTask["start"] = async ({ attemptId, taskId }) => {
    const child = spawn("sleep", [String(seconds)], { stdio: "ignore", detached: true });
    const exited = once(child, "exit").then(() => endedAt.set(taskId, performance.now()));
    ends.set(attemptId, exited);
    taskOf.set(attemptId, taskId);
    await once(child, "spawn");
    startedAt.set(taskId, performance.now());
  };
  async function* follow(attemptId: string): AsyncGenerator<RunEvent, RunEnd> {
    const taskId = taskOf.get(attemptId) ?? "";
    await ends.get(attemptId);
    yield {
      v: 1,
      at: new Date().toISOString(),
      traceId: "bench",
      taskId,
      type: "finished",
      result: runResult(taskId),
    };
    return { how: "finished", stderrTail: "" };
  }
  return {
    startedAt,
    endedAt,
    started: [],
    live: new Set(),
    peak: 0,
    start,
    follow,
    stop: async () => {},
  };
}
