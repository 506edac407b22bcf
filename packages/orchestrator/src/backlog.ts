import type { BacklogChoice, BacklogItem } from "@multiverse/protocol/backlog";
import { MultiverseError } from "@multiverse/protocol/error";
import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import { isPlanningQuestion } from "./chat/questions.ts";
import { nodeStatus } from "./execute/finish.ts";
import { deleteNode } from "./plan/delete-node.ts";
import { draftPlan } from "./plan/plan-draft.ts";
import { atOnce } from "./store/give-way.ts";

/** What a person's answer to a backlog item means. Pure; refuses what does not fit the item. */

const unknown = (id: string): MultiverseError =>
  new MultiverseError("NOT_FOUND", `There is no backlog item ${id}.`, {
    hint: "`multiverse backlog` lists them.",
  });

/** Why an item cannot be deleted, or null. */
export function undeletable(state: WorkspaceState, id: string): MultiverseError | null {
  if (!state.backlog.has(id)) return unknown(id);
  if (waitingFor(state, id).length === 0) return null;
  return new MultiverseError("CONFLICT", `Tasks wait for backlog item ${id}.`, {
    hint: "Resolve it instead, so that they can go on.",
  });
}

export function openItem(state: WorkspaceState, id: string): BacklogItem {
  const item = state.backlog.get(id);
  if (!item) throw unknown(id);
  if (item.resolvedAt !== null)
    throw new MultiverseError("CONFLICT", `Backlog item ${id} is resolved already.`, {
      hint: "Nothing is left to do.",
    });
  return item;
}

export interface Resolution {
  readonly id: string;
  readonly text: string;
  readonly choice: BacklogChoice | undefined;
  readonly at: string;
}

export function resolveFacts(
  state: WorkspaceState,
  { id, text, choice, at }: Resolution,
): NewFact[] {
  const item = openItem(state, id);
  const chosen = choice ?? (item.type === "QUESTION" ? "answer" : "retry");
  const resolved: NewFact = {
    kind: "backlog.resolved",
    payload: { backlogId: id, resolution: text, choice: chosen },
  };
  switch (item.type) {
    case "QUESTION":
      return [resolved, ...answerFacts(state, item, text, chosen)];
    case "BLOCKER":
      return [resolved, ...waitingFor(state, id).flatMap((task) => free(state, task, null))];
    case "FAILURE":
      return [resolved, ...failureFacts(state, item, chosen, at)];
  }
}

function answerFacts(
  state: WorkspaceState,
  item: BacklogItem,
  text: string,
  choice: BacklogChoice,
): NewFact[] {
  if (choice === "dismiss")
    return waitingFor(state, item.id).flatMap((task) => free(state, task, null));
  if (!text.trim())
    throw new MultiverseError("INVALID_INPUT", "A question needs an answer.", {
      hint: "Give the answer as text, or dismiss the question.",
    });
  if (isPlanningQuestion(item)) return [];
  return waitingFor(state, item.id).flatMap((task) =>
    free(state, task, { question: item.title, answer: text }),
  );
}

const waitingFor = (state: WorkspaceState, id: string): Task[] =>
  [...state.tasks.values()].filter((task) => task.waitingFor === id);

const free = (
  state: WorkspaceState,
  task: Task,
  answer: { question: string; answer: string } | null,
): NewFact[] => [
  { kind: "task.unblocked", payload: { taskId: task.id, answer } },
  nodeStatus(state, task, "planned"),
];

function failureFacts(
  state: WorkspaceState,
  item: BacklogItem,
  choice: BacklogChoice,
  at: string,
): NewFact[] {
  const task = state.tasks.get(item.taskId ?? "");
  if (!task) return [];
  switch (choice) {
    case "retry":
    case "answer":
      return [
        {
          kind: "task.retry_scheduled",
          payload: {
            taskId: task.id,
            retryAt: at,
            reason: "asked for by a person",
            cause: "requested",
          },
        },
        nodeStatus(state, task, "planned"),
      ];
    case "skip":
    case "skip_and_proceed":
      return [
        {
          kind: "task.skipped",
          payload: { taskId: task.id, dependantsProceed: choice === "skip_and_proceed" },
        },
      ];
    case "drop": {
      const draft = draftPlan(state, at);
      atOnce(deleteNode(draft, task.nodeId, false, at));
      // The item itself is resolved by the caller's fact, not a second time by the deletion.
      return draft.facts.filter(
        (fact) => fact.kind !== "backlog.resolved" || fact.payload.backlogId !== item.id,
      );
    }
    case "dismiss":
      return [];
  }
}
