import { LIMITS } from "@multiverse/protocol/limits";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { PlanRequest } from "@multiverse/protocol/plan-request";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { Task, TaskStatus } from "@multiverse/protocol/task";
import { isPlanningQuestion } from "../chat/questions.ts";
import { firstCodePoints } from "./code-points.ts";

/** What matters most to a planner comes first when the plan is too large to be shown whole. */
const STATUS_ORDER: readonly TaskStatus[] = [
  "RUNNING",
  "BLOCKED",
  "RETRY_WAIT",
  "READY",
  "PENDING",
  "FAILED",
];
const rank = (status: TaskStatus): number =>
  (STATUS_ORDER.indexOf(status) + STATUS_ORDER.length + 1) % (STATUS_ORDER.length + 1);

export interface PlanRequestInput {
  readonly userInput: string;
  readonly sessionId: string;
  /** The message being answered: it is `userInput`, so it is left out of the conversation. */
  readonly messageId: string;
  readonly now: number;
  readonly refusal: string | null;
}

/** The planner's view of a state: bounded and deterministic. Pure, and in steps, since a large plan is looked at whole. */
export function* planRequest(
  state: WorkspaceState,
  input: PlanRequestInput,
): Generator<undefined, PlanRequest> {
  return {
    userInput: input.userInput,
    context: { workspacePath: state.workspace?.projectRoot ?? "" },
    existingTasks: yield* existingTasks(state, input.now),
    existingWbs: { rootNodeId: ROOT_ID, nodeIndex: nodeIndex(state) },
    conversationHistory: conversation(state, input.sessionId, input.messageId),
    answers: answers(state),
    refusal: input.refusal,
  };
}

/** Tasks per step, where there are many. */
const STEP = 1_000;

function* existingTasks(
  state: WorkspaceState,
  now: number,
): Generator<undefined, PlanRequest["existingTasks"]> {
  const ranked: { task: Task; status: TaskStatus }[] = [];
  for (const task of state.tasks.values()) {
    ranked.push({ task, status: statusOf(state, task, now) });
    if (ranked.length % STEP === 0) yield;
  }
  ranked.sort((a, b) => rank(a.status) - rank(b.status) || (a.task.id < b.task.id ? -1 : 1));
  return ranked
    .slice(0, LIMITS.planRequestTasks)
    .map(({ task, status }) => summary(state, task, status));
}

function summary(
  state: WorkspaceState,
  task: Task,
  status: TaskStatus,
): PlanRequest["existingTasks"][number] {
  const node = state.nodes.get(task.nodeId);
  return {
    id: task.id,
    title: node?.title ?? task.id,
    status,
    dependencies: [...(node?.dependencies ?? [])],
    phaseName: node?.phaseName ?? "",
    milestone: node?.milestone ?? "",
    wbsLevel: node?.wbsLevel ?? 0,
    parentId: node?.parentId ?? ROOT_ID,
  };
}

/** Breadth first from the root, so that a cut leaves out the deepest. */
function nodeIndex(state: WorkspaceState): PlanRequest["existingWbs"]["nodeIndex"] {
  const queue = [ROOT_ID];
  for (const id of queue) {
    if (queue.length >= LIMITS.planRequestNodes) break;
    queue.push(...(state.nodes.get(id)?.children ?? []).slice(0, LIMITS.planRequestNodes));
  }
  const shown = queue.slice(0, LIMITS.planRequestNodes).flatMap((id) => state.nodes.get(id) ?? []);
  const known = new Set(shown.map((node) => node.id));
  return shown.map((node) => ({
    nodeId: node.id,
    parentId: node.parentId,
    children: node.children.filter((id) => known.has(id)),
  }));
}

function conversation(
  state: WorkspaceState,
  sessionId: string,
  messageId: string,
): PlanRequest["conversationHistory"] {
  const messages = (state.sessions.get(sessionId)?.messages ?? []).filter(
    (message) => message.id !== messageId,
  );
  return messages.slice(-LIMITS.planRequestMessages).map(({ role, content }) => ({
    role,
    content: firstCodePoints(content, LIMITS.planRequestMessageLength),
  }));
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Answers to the planner's own questions, oldest first. */
function answers(state: WorkspaceState): PlanRequest["answers"] {
  return [...state.backlog.values()]
    .filter((item) => isPlanningQuestion(item) && item.resolvedAt !== null)
    .sort((a, b) => compareText(a.resolvedAt ?? "", b.resolvedAt ?? "") || compareText(a.id, b.id))
    .slice(-LIMITS.questions)
    .map((item) => ({ question: item.title, answer: item.resolution ?? "" }));
}
