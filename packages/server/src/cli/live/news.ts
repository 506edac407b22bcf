import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { TaskStatus } from "@multiverse/protocol/task";
import { tasksInPlanOrder } from "@multiverse/protocol/task-view";

/** A question that waits for the person at the terminal. */
export interface Question {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  /** What an empty answer means, if anything. */
  readonly default: string | null;
}

/** What is new since the last look. One of these is a line of `--json`. */
export type News =
  | { readonly type: "message"; readonly text: string }
  | {
      readonly type: "task";
      readonly id: string;
      readonly title: string;
      readonly status: TaskStatus;
    }
  | ({ readonly type: "question" } & Question)
  | {
      readonly type: "answer";
      readonly id: string;
      readonly question: string;
      readonly text: string;
    }
  | { readonly type: "finished"; readonly code: number };

/** Looks at one state after the other and says what changed: nothing twice, everything once. */
export function createNews(sessionId: string): (state: WorkspaceState, now: number) => News[] {
  const said = new Set<string>();
  const statuses = new Map<string, TaskStatus>();
  const asked = new Set<string>();

  const messages = (state: WorkspaceState): News[] =>
    (state.sessions.get(sessionId)?.messages ?? []).flatMap(({ id, role, content }): News[] => {
      if (role !== "assistant" || said.has(id)) return [];
      said.add(id);
      return [{ type: "message", text: content }];
    });
  const tasks = (state: WorkspaceState, now: number): News[] =>
    tasksInPlanOrder(state).flatMap((task): News[] => {
      const status = statusOf(state, task, now);
      if (statuses.get(task.id) === status) return [];
      statuses.set(task.id, status);
      const title = state.nodes.get(task.nodeId)?.title ?? task.id;
      return [{ type: "task", id: task.id, title, status }];
    });
  const questions = (state: WorkspaceState): News[] =>
    [...state.backlog.values()].flatMap((item): News[] => {
      if (item.type !== "QUESTION") return [];
      const isOpen = item.resolvedAt === null;
      if (isOpen === asked.has(item.id)) return [];
      if (isOpen) {
        asked.add(item.id);
        return [{ type: "question", ...questionOf(item) }];
      }
      asked.delete(item.id);
      return [{ type: "answer", id: item.id, question: item.title, text: item.resolution ?? "" }];
    });
  return (state, now) => [...messages(state), ...tasks(state, now), ...questions(state)];
}

export const openQuestions = (state: WorkspaceState): Question[] =>
  [...state.backlog.values()]
    .filter((item) => item.type === "QUESTION" && item.resolvedAt === null)
    .map(questionOf);

function questionOf({ id, title, description, metadata }: BacklogItem): Question {
  const { options, default: usual } = metadata;
  return {
    id,
    text: description || title,
    options: Array.isArray(options) ? options.map(String) : [],
    default: typeof usual === "string" ? usual : null,
  };
}
