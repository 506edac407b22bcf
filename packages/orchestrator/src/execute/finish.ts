import type { NewId, Random } from "@multiverse/protocol/clock";
import type { Attempt } from "@multiverse/protocol/attempt";
import type { NewFact } from "@multiverse/protocol/fact";
import type { NodeStatus } from "@multiverse/protocol/plan-node";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import type { RunEnd } from "../ports.ts";
import { blockerFacts, failureFacts, questionFacts, type OutsideCause } from "./backlog-facts.ts";
import {
  LONGEST_LIMIT_MS,
  MAX_INFRASTRUCTURE,
  MAX_LOST,
  RETRY,
  retryDelayMs,
  UNSAID_LIMIT_MS,
} from "./retry.ts";

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
  if (!task) return staleFacts(attempt, finish, "the task is no longer in the plan");
  const stale = staleBecause(state, attempt, task);
  if (stale) return staleFacts(attempt, finish, stale);
  return [attemptFinished(attempt, finish), ...consequences(state, task, finish)];
}

/** A result counts only for the task's current attempt in the current epoch. */
function staleBecause(state: WorkspaceState, attempt: Attempt, task: Task): string | null {
  if (attempt.epoch !== state.epoch) return "the workspace was restored to an earlier state since";
  if (task.currentAttempt !== attempt.id) return "the task no longer waits for this attempt";
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
        : end.how === "lost" || end.how === "unstarted"
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
    unstarted: "agent-runner could not be started",
  }[end.how];
  return said ? `${what}: ${said}` : `${what}.`;
};

function consequences(state: WorkspaceState, task: Task, finish: Finish): NewFact[] {
  const { result } = finish;
  if (result?.status === "succeeded") return success(state, task, finish, result);
  if (finish.stopping !== null) return canceled(state, task, finish, finish.stopping);
  if (!result && finish.end.how === "unstarted") return unstarted(state, task, finish);
  if (!result)
    return finish.end.how === "lost" ? lost(state, task, finish) : failed(state, task, finish);
  if (result.status === "blocked" && result.question)
    return [
      ...questionFacts(state, task, result.question, finish),
      nodeStatus(state, task, "blocked"),
    ];
  return afterReason(state, task, finish, result);
}

function afterReason(
  state: WorkspaceState,
  task: Task,
  finish: Finish,
  result: RunResult,
): NewFact[] {
  switch (result.reason) {
    case "rate_limited":
      return [
        retry(task, "rate_limit", liftsAt(finish, result), result.summary),
        nodeStatus(state, task, "planned"),
      ];
    case "login_missing":
    case "oom": // the same limit would end it the same way: somebody has to raise it
      return blocked(state, task, finish, result);
    case "sandbox_error":
      return infrastructure(state, task, finish, result);
    case "invalid_task":
    case "budget_exceeded": // trying again would end the same way, or spend more than was allowed
      return giveUp(state, task, finish);
    case "canceled": // by a signal that was not ours
      return lost(state, task, finish);
    case "max_loops":
    case "meta_error":
    case "unknown_action":
    case "no_progress":
    case "aborted":
    case null:
      return failed(state, task, finish);
  }
}

function canceled(
  state: WorkspaceState,
  task: Task,
  { attemptId }: Finish,
  stopping: "task" | "execution",
): NewFact[] {
  const stopped = stopping === "execution";
  return [
    { kind: "task.canceled", payload: { taskId: task.id, attemptId, stopped } },
    nodeStatus(state, task, "planned"),
  ];
}

const blocked = (
  state: WorkspaceState,
  task: Task,
  finish: Finish,
  cause: OutsideCause,
): NewFact[] => [...blockerFacts(state, task, finish, cause), nodeStatus(state, task, "blocked")];

/** Nothing about the task: it is tried again a few times, later and later, and then somebody has to look. */
function infrastructure(
  state: WorkspaceState,
  task: Task,
  finish: Finish,
  cause: OutsideCause,
): NewFact[] {
  if (task.infraCount + 1 >= MAX_INFRASTRUCTURE) return blocked(state, task, finish, cause);
  const at = later(finish, retryDelayMs(task.infraCount + 1, finish.random));
  return [retry(task, "infrastructure", at, cause.summary), nodeStatus(state, task, "planned")];
}

/** No process could be made for it (no memory, no free process or file): the machine's trouble, not the task's. */
const unstarted = (state: WorkspaceState, task: Task, finish: Finish): NewFact[] =>
  infrastructure(state, task, finish, {
    reason: "sandbox_error",
    summary: describeEnd(finish.end),
    hint: "Free memory, processes or disk on this machine, or lower maxParallel, and resolve this to go on.",
  });

function success(
  state: WorkspaceState,
  task: Task,
  { attemptId }: Finish,
  result: RunResult,
): NewFact[] {
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
    { kind: "task.succeeded", payload: { taskId: task.id, attemptId } },
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

/** However far away a provider says its limit lifts, we look again within the hour. */
function liftsAt({ now }: Finish, { retryAt }: RunResult): string {
  const wait = retryAt === null ? UNSAID_LIMIT_MS : Date.parse(retryAt) - now.getTime();
  return new Date(now.getTime() + Math.max(0, Math.min(wait, LONGEST_LIMIT_MS))).toISOString();
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
