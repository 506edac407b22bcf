import type { FactOf } from "../fact.ts";
import type { RunResult } from "../run-result.ts";
import type { Task, TaskOutcome } from "../task.ts";
import { addUsage, noUsage } from "../usage.ts";
import { ATTEMPT_TAIL } from "../state.ts";
import { addTo, putTask, removeFrom, type Draft } from "./draft.ts";

/** Facts about the execution of nodes. A fact about a task that has been deleted since changes nothing. */

function change(draft: Draft, id: string, at: string, changes: Partial<Task>): void {
  const task = draft.tasks.get(id);
  if (task) putTask(draft, { ...task, ...changes, updatedAt: at });
}

/** What every way out of a run has in common. */
const idle = { currentAttempt: null, assignedAgent: null } as const;
/** What every end has in common; a retry or an answer still belongs to the same request. */
const over = { ...idle, requested: false } as const;

/** Every field by name: an object spread and then extended by as many fields is ten times slower to make and to keep. */
export function taskCreated(draft: Draft, { at, payload: { task } }: FactOf<"task.created">): void {
  putTask(draft, {
    id: task.id,
    nodeId: task.nodeId,
    kind: task.kind,
    poolId: task.poolId,
    priority: task.priority,
    goal: task.goal,
    constraints: task.constraints,
    runnerMaxLoops: task.runnerMaxLoops,
    runnerWorkerKind: task.runnerWorkerKind,
    createdAt: task.createdAt,
    progress: "waiting",
    updatedAt: at,
    startedAt: null,
    finishedAt: null,
    startCount: 0,
    attemptCount: 0,
    lostCount: 0,
    infraCount: 0,
    currentAttempt: null,
    assignedAgent: null,
    retryAt: null,
    retryReason: null,
    retryCause: null,
    waitingFor: null,
    requested: false,
    dependantsProceed: false,
    answers: [],
    outcome: null,
    usage: noUsage,
  });
}

export function taskStarted(draft: Draft, { at, payload }: FactOf<"task.started">): void {
  const attempt = draft.attempts.get(payload.attemptId);
  change(draft, payload.taskId, at, {
    progress: "running",
    startCount: (draft.tasks.get(payload.taskId)?.startCount ?? 0) + 1,
    startedAt: at,
    finishedAt: null,
    currentAttempt: payload.attemptId,
    assignedAgent: attempt?.agentId ?? null,
    retryAt: null,
    retryReason: null,
    retryCause: null,
  });
}

export function taskSucceeded(draft: Draft, { at, payload }: FactOf<"task.succeeded">): void {
  const attemptCount = (draft.tasks.get(payload.taskId)?.attemptCount ?? 0) + 1;
  change(draft, payload.taskId, at, {
    ...over,
    progress: "succeeded",
    finishedAt: at,
    attemptCount,
  });
}

export function taskFailed(draft: Draft, { at, payload }: FactOf<"task.failed">): void {
  const attemptCount = (draft.tasks.get(payload.taskId)?.attemptCount ?? 0) + 1;
  change(draft, payload.taskId, at, { ...over, progress: "failed", finishedAt: at, attemptCount });
}

export function taskCanceled(draft: Draft, { at, payload }: FactOf<"task.canceled">): void {
  const progress = payload.stopped ? "waiting" : "canceled";
  change(draft, payload.taskId, at, { ...over, progress, finishedAt: payload.stopped ? null : at });
}

export function taskSkipped(draft: Draft, { at, payload }: FactOf<"task.skipped">): void {
  const { dependantsProceed } = payload;
  change(draft, payload.taskId, at, {
    ...over,
    progress: "skipped",
    finishedAt: at,
    waitingFor: null,
    dependantsProceed,
  });
}

export function taskRetryScheduled(
  draft: Draft,
  { at, payload }: FactOf<"task.retry_scheduled">,
): void {
  const task = draft.tasks.get(payload.taskId);
  if (!task) return;
  const base = {
    ...idle,
    progress: "waiting",
    finishedAt: null,
    retryAt: payload.retryAt,
    retryReason: payload.reason,
    retryCause: payload.cause,
  } as const;
  const counted = { attemptCount: task.attemptCount + 1 };
  switch (payload.cause) {
    case "failure":
      return change(draft, task.id, at, { ...base, ...counted });
    case "lost":
      return change(draft, task.id, at, { ...base, lostCount: task.lostCount + 1 });
    case "infrastructure":
      return change(draft, task.id, at, { ...base, infraCount: task.infraCount + 1 });
    case "rate_limit":
      return change(draft, task.id, at, base);
    case "requested": // a person starts it afresh: earlier attempts no longer count against it
      return change(draft, task.id, at, {
        ...base,
        requested: true,
        waitingFor: null,
        attemptCount: 0,
        lostCount: 0,
        infraCount: 0,
        dependantsProceed: false,
      });
  }
}

export function taskBlocked(draft: Draft, { at, payload }: FactOf<"task.blocked">): void {
  change(draft, payload.taskId, at, {
    ...idle,
    progress: "waiting",
    waitingFor: payload.backlogId,
  });
}

export function taskUnblocked(draft: Draft, { at, payload }: FactOf<"task.unblocked">): void {
  const answers = draft.tasks.get(payload.taskId)?.answers ?? [];
  change(draft, payload.taskId, at, {
    waitingFor: null,
    retryAt: null,
    retryReason: null,
    retryCause: null,
    answers: payload.answer ? [...answers, payload.answer] : answers,
  });
}

export function attemptStarted(draft: Draft, { payload }: FactOf<"attempt.started">): void {
  const running = {
    status: "RUNNING",
    finishedAt: null,
    errorSummary: null,
    reason: null,
    summary: "",
    usage: noUsage,
  } as const;
  const { id, taskId } = payload.attempt;
  draft.attempts.set(id, { ...payload.attempt, ...running });
  addTo(draft.index.attemptsOf, taskId, id);
  forgetOldAttempts(draft, taskId);
}

/** A task that is run again and again must not fill the memory: the oldest attempts that are over go. */
function forgetOldAttempts(draft: Draft, taskId: string): void {
  const ids = draft.index.attemptsOf.get(taskId);
  if (!ids || ids.size <= ATTEMPT_TAIL) return;
  const over = [...ids]
    .flatMap((id) => draft.attempts.get(id) ?? [])
    .filter(({ status }) => status !== "RUNNING")
    .sort((a, b) => a.epoch - b.epoch || a.number - b.number || (a.id < b.id ? -1 : 1));
  for (const { id } of over.slice(0, ids.size - ATTEMPT_TAIL)) {
    draft.attempts.remove(id);
    removeFrom(draft.index.attemptsOf, taskId, id);
  }
}

export function attemptFinished(draft: Draft, { at, payload }: FactOf<"attempt.finished">): void {
  const attempt = draft.attempts.get(payload.attemptId);
  const { result, status, finishedAt, errorSummary } = payload;
  if (!attempt) return;
  draft.attempts.set(attempt.id, {
    ...attempt,
    status,
    finishedAt,
    errorSummary,
    reason: result?.reason ?? null,
    summary: result?.summary ?? "",
    usage: result?.usage ?? noUsage,
  });
  const task = draft.tasks.get(payload.taskId);
  if (result && task) {
    change(draft, task.id, at, {
      outcome: outcomeOf(attempt.id, result),
      usage: addUsage(task.usage, result.usage),
    });
  }
}

const outcomeOf = (attemptId: string, result: RunResult): TaskOutcome => ({
  attemptId,
  status: result.status,
  reason: result.reason,
  summary: result.summary,
  criteria: result.criteria.map(({ id, description, passed, comment }) => ({
    id,
    description,
    passed,
    comment,
  })),
  validation: result.validation,
  files: result.artifacts.files,
  note: result.artifacts.note,
});
