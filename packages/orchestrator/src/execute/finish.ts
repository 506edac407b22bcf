import type { NewId, Random } from "@multiverse/protocol/clock";
import type { Attempt } from "@multiverse/protocol/attempt";
import type { NewFact } from "@multiverse/protocol/fact";
import type { NodeStatus } from "@multiverse/protocol/plan-node";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import type { RunEnd } from "../ports.ts";
import { blockerFacts, failureFacts, questionFacts } from "./backlog-facts.ts";
import { MAX_INFRASTRUCTURE, MAX_LOST, RETRY, retryDelayMs } from "./retry.ts";

export interface Finish {
  readonly attemptId: string;
  readonly result: RunResult | null;
  readonly end: RunEnd;
  /** Why we asked the run to stop, if we did: one task was cancelled, or the whole execution was stopped. */
  readonly stopping: "task" | "execution" | null;
  readonly now: Date;
  readonly newId: NewId;
  readonly random: Random;
}

/** What follows from the end of a run: attempt, task, node, tests and backlog in one commit. Pure. */
export function finishFacts(state: WorkspaceState, finish: Finish): NewFact[] {
  const attempt = state.attempts.get(finish.attemptId);
  if (!attempt) return [];
  const task = state.tasks.get(attempt.taskId);
  const stale = staleBecause(state, attempt, task);
  if (stale) return staleFacts(attempt, finish, stale);
  return [attemptFinished(attempt, finish), ...consequences(state, task!, finish)];
}

/** A result counts only for the task's current attempt in the current epoch. */
function staleBecause(
  state: WorkspaceState,
  attempt: Attempt,
  task: Task | undefined,
): string | null {
  if (!task) return "the task is no longer in the plan";
  if (attempt.epoch !== state.epoch) return "the workspace was restored to an earlier state since";
  if (task.currentAttempt !== attempt.id) return "another attempt of this task has taken over";
  return null;
}

function staleFacts(attempt: Attempt, finish: Finish, why: string): NewFact[] {
  const ignored: NewFact = {
    kind: "task.result_ignored",
    payload: { taskId: attempt.taskId, attemptId: attempt.id, why },
  };
  return attempt.status === "RUNNING" ? [attemptFinished(attempt, finish), ignored] : [ignored];
}

function attemptFinished(attempt: Attempt, { result, end, stopping, now }: Finish): NewFact {
  const canceled = stopping !== null || result?.reason === "canceled";
  const status =
    result?.status === "succeeded"
      ? "SUCCEEDED"
      : canceled
        ? "CANCELED"
        : end.how === "lost"
          ? "LOST"
          : "FAILED";
  const errorSummary = status === "SUCCEEDED" ? null : (result?.summary ?? describeEnd(end));
  return {
    kind: "attempt.finished",
    payload: {
      attemptId: attempt.id,
      taskId: attempt.taskId,
      status,
      finishedAt: now.toISOString(),
      errorSummary,
      result,
    },
  };
}

const describeEnd = (end: RunEnd): string => {
  const said = end.stderrTail.trim();
  const what = {
    finished: "The run ended",
    died: "agent-runner ended without a result",
    malformed: "agent-runner wrote something that is not a run event",
    lost: "agent-runner disappeared",
  }[end.how];
  return said ? `${what}: ${said}` : `${what}.`;
};

function consequences(state: WorkspaceState, task: Task, finish: Finish): NewFact[] {
  const { result } = finish;
  if (result?.status === "succeeded") return success(state, task, result);
  if (finish.stopping !== null) {
    const stopped = finish.stopping === "execution";
    return [
      { kind: "task.canceled", payload: { taskId: task.id, attemptId: finish.attemptId, stopped } },
      nodeStatus(state, task, "planned"),
    ];
  }
  if (result?.status === "blocked" && result.question)
    return [
      ...questionFacts(state, task, result.question, finish),
      nodeStatus(state, task, "blocked"),
    ];
  switch (result?.reason) {
    case "rate_limited":
      return [
        retry(task, "rate_limit", result.retryAt ?? later(finish, 60_000), result.summary),
        nodeStatus(state, task, "planned"),
      ];
    case "login_missing":
      return [
        ...blockerFacts(state, task, finish, "login", result),
        nodeStatus(state, task, "blocked"),
      ];
    case "sandbox_error":
      return task.infraCount + 1 < MAX_INFRASTRUCTURE
        ? [
            retry(
              task,
              "infrastructure",
              later(finish, retryDelayMs(task.infraCount + 1, finish.random)),
              result.summary,
            ),
            nodeStatus(state, task, "planned"),
          ]
        : [
            ...blockerFacts(state, task, finish, "sandbox", result),
            nodeStatus(state, task, "blocked"),
          ];
    case "invalid_task":
    case "budget_exceeded": // trying again would end the same way, or spend more than was allowed
      return giveUp(state, task, finish);
    default:
      return finish.end.how === "lost" || result?.reason === "canceled"
        ? lost(state, task, finish)
        : failed(state, task, finish);
  }
}

function success(state: WorkspaceState, task: Task, result: RunResult): NewFact[] {
  const proven = result.validation.overall === "passed";
  const flaky =
    proven &&
    state.tests.get(task.nodeId)?.status === "failed" &&
    result.artifacts.files.length === 0;
  const tested: NewFact[] =
    result.validation.commands.length > 0
      ? [
          {
            kind: "test.run",
            payload: {
              nodeId: task.nodeId,
              taskId: task.id,
              result: flaky ? "flaky" : proven ? "passed" : "failed",
              summary: result.summary,
            },
          },
        ]
      : [];
  return [
    { kind: "task.succeeded", payload: { taskId: task.id, attemptId: task.currentAttempt! } },
    ...tested,
    nodeStatus(state, task, proven ? "verified" : "implemented", result.artifacts.files),
  ];
}

function failed(state: WorkspaceState, task: Task, finish: Finish): NewFact[] {
  const failures = task.attemptCount + 1;
  if (failures >= RETRY.maxAttempts) return giveUp(state, task, finish);
  const at = later(finish, retryDelayMs(failures, finish.random));
  return [
    ...testFailed(task, finish),
    retry(task, "failure", at, finish.result?.summary ?? describeEnd(finish.end)),
    nodeStatus(state, task, "planned"),
  ];
}

function lost(state: WorkspaceState, task: Task, finish: Finish): NewFact[] {
  if (task.lostCount >= MAX_LOST) return giveUp(state, task, finish);
  return [
    retry(task, "lost", finish.now.toISOString(), describeEnd(finish.end)),
    nodeStatus(state, task, "planned"),
  ];
}

function giveUp(state: WorkspaceState, task: Task, finish: Finish): NewFact[] {
  const error = finish.result?.summary ?? describeEnd(finish.end);
  return [
    {
      kind: "task.failed",
      payload: {
        taskId: task.id,
        attemptId: finish.attemptId,
        reason: finish.result?.reason ?? null,
        error,
      },
    },
    ...testFailed(task, finish),
    ...failureFacts(state, task, finish, error),
    nodeStatus(state, task, "blocked"),
  ];
}

function testFailed(task: Task, { result }: Finish): NewFact[] {
  if (result?.validation.overall !== "failed") return [];
  return [
    {
      kind: "test.run",
      payload: { nodeId: task.nodeId, taskId: task.id, result: "failed", summary: result.summary },
    },
  ];
}

const later = ({ now }: Finish, ms: number): string => new Date(now.getTime() + ms).toISOString();

const retry = (
  task: Task,
  cause: "failure" | "rate_limit" | "lost" | "infrastructure",
  retryAt: string,
  reason: string,
): NewFact => ({
  kind: "task.retry_scheduled",
  payload: { taskId: task.id, retryAt, reason, cause },
});

export function nodeStatus(
  state: WorkspaceState,
  task: Task,
  to: NodeStatus,
  files?: readonly string[],
): NewFact {
  const from = state.runtimes.get(task.nodeId)?.status ?? "planned";
  return {
    kind: "node.status_updated",
    payload: { nodeId: task.nodeId, from, to, ...(files ? { files: [...files] } : {}) },
  };
}
