import type { RunEvent } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import { sampleResult } from "@multiverse/protocol/testing/samples";
import type { RunEnd, RunRequest, RunTask } from "../ports.ts";

/** How a scripted run ends. `hang` runs until it is stopped; `die` and `lose` end without a result. */
export type Script = { result: RunResult } | "hang" | "die" | "lose";

/** As a run without a loop ends. */
export const runResult = (taskId: string, changes: Partial<RunResult> = {}): RunResult =>
  sampleResult(taskId, { metaCalls: 3, loops: 0, ...changes });

export const failedResult = (
  taskId: string,
  reason: RunResult["reason"] = "max_loops",
): RunResult =>
  runResult(taskId, {
    status: "failed",
    state: "FAILED",
    reason,
    summary: "it did not work",
    validation: { overall: "failed", commands: [], warnings: [] },
  });

export interface FakeRuns extends RunTask {
  readonly started: RunRequest[];
  readonly live: Set<string>;
  /** The most runs that were ever live at once. */
  readonly peak: number;
}

/** The runTask port in memory: each attempt plays the script chosen for it. */
export function fakeRuns(
  script: (request: RunRequest, nth: number) => Script | Promise<Script>,
): FakeRuns {
  const started: RunRequest[] = [];
  const known = new Map<string, { request: RunRequest; nth: number }>();
  const starts = new Map<string, number>();
  const live = new Set<string>();
  const stopping = new Map<string, AbortController>();
  const stopOf = (attemptId: string): AbortController => {
    const stop = stopping.get(attemptId) ?? new AbortController();
    stopping.set(attemptId, stop);
    return stop;
  };
  let peak = 0;
  return {
    started,
    live,
    get peak() {
      return peak;
    },
    async start(request) {
      started.push(request);
      const nth = starts.get(request.taskId) ?? 0;
      starts.set(request.taskId, nth + 1);
      known.set(request.attemptId, { request, nth });
      live.add(request.attemptId);
      peak = Math.max(peak, live.size);
    },
    async *follow(attemptId, signal): AsyncGenerator<RunEvent, RunEnd> {
      const run = known.get(attemptId);
      if (!run) return { how: "lost", stderrTail: "" };
      const { request, nth } = run;
      const stamp = {
        v: 1 as const,
        at: new Date(0).toISOString(),
        traceId: request.traceId,
        taskId: request.taskId,
      };
      yield { ...stamp, type: "state", from: "PENDING", to: "PLANNING" };
      const { signal: stop } = stopOf(attemptId);
      const stopped = new Promise<"stopped">((resolve) => {
        if (stop.aborted) resolve("stopped");
        stop.addEventListener("abort", () => resolve("stopped"));
      });
      const unheard = new Promise<"lose">((resolve) =>
        signal.addEventListener("abort", () => resolve("lose")),
      );
      const end = await Promise.race([stopped, unheard, script(request, nth)]);
      const outcome = end === "hang" ? await Promise.race([stopped, unheard]) : end;
      live.delete(attemptId);
      if (outcome === "die") return { how: "died", stderrTail: "boom" };
      if (outcome === "lose") return { how: "lost", stderrTail: "" };
      const canceled = runResult(request.taskId, {
        status: "failed",
        state: "FAILED",
        reason: "canceled",
        summary: "canceled",
      });
      yield {
        ...stamp,
        type: "finished",
        result: outcome === "stopped" ? canceled : outcome.result,
      };
      return { how: "finished", stderrTail: "" };
    },
    async stop(attemptId) {
      stopOf(attemptId).abort();
    },
  };
}
