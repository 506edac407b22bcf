import type { Attempt } from "@multiverse/protocol/attempt";
import type { BacklogItem } from "@multiverse/protocol/backlog";
import { toSnake } from "@multiverse/protocol/case";
import type { ChatMessage } from "@multiverse/protocol/chat-message";
import type { AttemptFile, ChatLine, TaskLine } from "@multiverse/protocol/entity-files";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { Task } from "@multiverse/protocol/task";

/** tasks/, attempts/, backlog/ and chat/: one file per thing, camelCase. */
export function taskLine(state: WorkspaceState, task: Task, now: number): TaskLine {
  const node = state.nodes.get(task.nodeId);
  return {
    id: task.id,
    title: node?.title ?? "",
    description: node?.description ?? "",
    status: statusOf(state, task, now),
    poolId: task.poolId,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    startedAt: task.startedAt,
    doneAt: task.finishedAt,
    attemptCount: task.attemptCount,
    nextRetryAt: task.retryAt,
    dependencies: [...(node?.dependencies ?? [])],
    parentId: node?.parentId ?? null,
    wbsLevel: node?.wbsLevel ?? 0,
    phaseName: node?.phaseName ?? "",
    milestone: node?.milestone ?? "",
    workType: node?.workType ?? "",
    domain: node?.domain ?? "",
    tags: [...(node?.tags ?? [])],
    acceptanceCriteria: [...(node?.acceptanceCriteria ?? [])],
    rawPrompt: node?.origin ?? "",
  };
}

const attemptLogPath = (attemptId: string): string => `logs/attempts/${attemptId}.log`;

export function attemptText(attempt: Attempt, result: RunResult | null): string {
  const file: AttemptFile = {
    id: attempt.id,
    taskId: attempt.taskId,
    status: attempt.status,
    startedAt: attempt.startedAt,
    finishedAt: attempt.finishedAt,
    errorSummary: attempt.errorSummary,
    tool: attempt.tool,
    model: attempt.model,
    result: result && toSnake(result),
    logPath: attemptLogPath(attempt.id),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

export const backlogText = (item: BacklogItem): string => `${JSON.stringify(item, null, 2)}\n`;

export function chatLine(message: ChatMessage): ChatLine {
  const { id, sessionId, role, content, timestamp, generatedTasks, questions } = message;
  return { id, sessionId, role, content, timestamp, generatedTasks, questions };
}
