import type { NewFact } from "@multiverse/protocol/fact";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import type { Finish } from "./finish.ts";

/** What a person has to answer or decide, as facts. */

const titleOf = (state: WorkspaceState, task: Task): string =>
  state.nodes.get(task.nodeId)?.title || task.id;

export function questionFacts(
  state: WorkspaceState,
  task: Task,
  question: { text: string; options: string[] },
  { newId, now }: Finish,
): NewFact[] {
  const id = newId("bl");
  const at = now.toISOString();
  const sessionId = latestSession(state);
  const added: NewFact = {
    kind: "backlog.added",
    payload: {
      item: {
        id,
        taskId: task.id,
        type: "QUESTION",
        title: question.text.slice(0, 500),
        description: `${titleOf(state, task)} needs an answer before it can go on.`,
        priority: 4,
        createdAt: at,
        metadata: { source: "run", options: question.options, attemptId: task.currentAttempt },
      },
    },
  };
  const blocked: NewFact = { kind: "task.blocked", payload: { taskId: task.id, backlogId: id } };
  if (!sessionId) return [added, blocked];
  const asked: NewFact = {
    kind: "chat.message",
    payload: {
      message: {
        id: newId("msg"),
        sessionId,
        role: "assistant",
        content: `${titleOf(state, task)}: ${question.text}`,
        timestamp: at,
        generatedTasks: [task.id],
        questions: [
          {
            backlogId: id,
            text: question.text,
            options: question.options,
            blocking: false,
            default: null,
          },
        ],
      },
    },
  };
  return [added, blocked, asked];
}

export function failureFacts(
  state: WorkspaceState,
  task: Task,
  { newId, now, result, attemptId }: Finish,
  error: string,
): NewFact[] {
  return [
    {
      kind: "backlog.added",
      payload: {
        item: {
          id: newId("bl"),
          taskId: task.id,
          type: "FAILURE",
          title: `${titleOf(state, task)} failed`.slice(0, 500),
          description: error,
          priority: 4,
          createdAt: now.toISOString(),
          metadata: {
            source: "run",
            attemptId,
            attempts: task.attemptCount + 1,
            reason: result?.reason ?? null,
            note: result?.artifacts.note ?? null,
            hint: result?.hint ?? "Open the task's note and log, then retry, skip or drop it.",
          },
        },
      },
    },
  ];
}

/** What a run says about trouble that is not its own. */
export type OutsideCause = Pick<RunResult, "reason" | "summary" | "hint">;

/**
 * What has to be mended, told apart by the advice that goes with it (Docker, one image, one login): one and the same key
 * may be missing to tasks with different workers. Summaries will not do, since they may name the task or the container.
 */
const causeOf = ({ reason, hint, summary }: OutsideCause): string =>
  [reason, hint ?? summary].filter(Boolean).join(":");

/** Something outside the plan stops work: one item for all tasks it stops, so that one fix frees them all. */
export function blockerFacts(
  state: WorkspaceState,
  task: Task,
  { newId, now }: Finish,
  result: OutsideCause,
): NewFact[] {
  const key = causeOf(result);
  const open = [...state.backlog.values()].find(
    (item) => item.type === "BLOCKER" && item.resolvedAt === null && item.metadata["key"] === key,
  );
  const id = open?.id ?? newId("bl");
  const blocked: NewFact = { kind: "task.blocked", payload: { taskId: task.id, backlogId: id } };
  if (open) return [blocked];
  return [
    {
      kind: "backlog.added",
      payload: {
        item: {
          id,
          taskId: null,
          type: "BLOCKER",
          title: result.summary.slice(0, 500),
          description: result.hint ?? result.summary,
          priority: 5,
          createdAt: now.toISOString(),
          metadata: { source: "run", key, firstTask: task.id },
        },
      },
    },
    blocked,
  ];
}

/** Questions from runs are asked where the person last talked. */
export function latestSession(state: WorkspaceState): string | null {
  let latest: { id: string; updatedAt: string } | null = null;
  for (const session of state.sessions.values())
    if (!latest || session.updatedAt > latest.updatedAt) latest = session;
  return latest?.id ?? null;
}
