import { isFurtherTask, isSatisfied } from "./readiness.ts";
import type { WorkspaceState } from "./state.ts";
import type { Task, TaskStatus } from "./task.ts";

/** No policy waits longer than this after a failure; a provider's own limit is looked at again within the hour. */
const LONGEST_WAIT_MS = 6 * 60_000;
const LONGEST_LIMIT_MS = 61 * 60_000;

/**
 * Whether the clock still holds a task back. A wait longer than any policy gives means that the clock was set back
 * since, and the task must not hang until it catches up.
 */
export function isWaitingForRetry(task: Task, now: number): boolean {
  if (task.retryAt === null) return false;
  const left = Date.parse(task.retryAt) - now;
  const longest = task.retryCause === "rate_limit" ? LONGEST_LIMIT_MS : LONGEST_WAIT_MS;
  return left > 0 && left <= longest;
}

/** A task's status: a view of the facts and the clock, so that nothing has to be kept in step by hand. */
export function statusOf(state: WorkspaceState, task: Task, now: number): TaskStatus {
  switch (task.progress) {
    case "running":
      return "RUNNING";
    case "succeeded":
      return "SUCCEEDED";
    case "failed":
      return "FAILED";
    case "canceled":
      return "CANCELED";
    case "skipped":
      return "SKIPPED";
    case "waiting":
      break;
  }
  if (task.waitingFor !== null) return "BLOCKED";
  if (isWaitingForRetry(task, now)) return "RETRY_WAIT";
  if (!state.index.runnable.has(task.id)) return isStuck(state, task) ? "BLOCKED" : "PENDING";
  return state.execution.status === "RUNNING" || task.requested ? "READY" : "PENDING";
}

export interface Blocker {
  readonly taskId: string;
  readonly title: string;
  readonly why: "failed" | "canceled" | "skipped" | "question" | "unfinished";
  /** Nothing will change without a person. */
  readonly stuck: boolean;
}

/** Why a task cannot start: the dependencies it waits for, each with its own reason. */
export function blockers(state: WorkspaceState, task: Task): Blocker[] {
  return unmet(state, task).map((taskId) => {
    const why = whyUnmet(state, taskId);
    const title = state.nodes.get(taskId)?.title || taskId;
    return { taskId, title, why, stuck: why !== "unfinished" };
  });
}

/** Whether one of them needs a person. Asked of every task of a plan at once, so it makes nothing that is not needed. */
const isStuck = (state: WorkspaceState, task: Task): boolean =>
  unmet(state, task).some((id) => whyUnmet(state, id) !== "unfinished");

function unmet(state: WorkspaceState, task: Task): string[] {
  const dependencies = state.nodes.get(task.nodeId)?.dependencies ?? [];
  const ids = isFurtherTask(task) ? [...dependencies, task.nodeId] : dependencies;
  return ids.filter((id) => state.nodes.has(id) && !isSatisfied(state, id));
}

function whyUnmet(state: WorkspaceState, id: string): Blocker["why"] {
  const task = state.tasks.get(id);
  if (task?.waitingFor) return "question";
  switch (task?.progress) {
    case "failed":
    case "canceled":
    case "skipped":
      return task.progress;
    case "waiting":
    case "running":
    case "succeeded":
    case undefined:
      return "unfinished";
  }
}

/** One sentence for a person, or null if nothing blocks the task. */
export function blockedBecause(state: WorkspaceState, task: Task): string | null {
  if (task.progress !== "waiting") return null;
  if (task.waitingFor)
    return `waiting for an answer: ${state.backlog.get(task.waitingFor)?.title ?? task.waitingFor}`;
  const all = blockers(state, task);
  const stuck = all.filter((b) => b.stuck);
  const named = (stuck.length ? stuck : all).slice(0, 3).map((b) => `${b.title} (${b.why})`);
  const more = (stuck.length || all.length) - named.length;
  return named.length
    ? `waiting for ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
    : null;
}
