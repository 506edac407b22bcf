import type { Random } from "@multiverse/protocol/clock";
import type { NewFact } from "@multiverse/protocol/fact";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { sampleNode, sampleResult, sampleTask } from "@multiverse/protocol/testing/samples";
import { below } from "./random.ts";

const AT = "2026-01-01T00:00:00.000Z";

/** A node and its task, as a plan change makes them. */
export const nodeAndTask = (
  id: string,
  parentId: string,
  index: number,
  dependencies: string[] = [],
): NewFact[] => [
  {
    kind: "node.created",
    payload: {
      parentId,
      index,
      node: sampleNode(id, {
        title: `作る ${id}`,
        effort: "small",
        dependencies,
        acceptanceCriteria: ["it works"],
        phaseName: "実装",
        wbsLevel: 3,
      }),
    },
  },
  { kind: "task.created", payload: { task: sampleTask(id) } },
];

export const message = (id: string, sessionId: string, content: string): NewFact => ({
  kind: "chat.message",
  payload: {
    message: {
      id,
      sessionId,
      role: "user",
      content,
      timestamp: AT,
      generatedTasks: [],
      questions: [],
    },
  },
});

const attempt = (id: string, taskId: string, epoch: number): NewFact[] => [
  {
    kind: "attempt.started",
    payload: {
      attempt: {
        id,
        taskId,
        number: 1,
        epoch,
        poolId: "default",
        agentId: "agent:mock",
        tool: "mock",
        model: "",
        traceId: "t",
        startedAt: AT,
      },
    },
  },
  { kind: "task.started", payload: { taskId, attemptId: id } },
];

const finish = (state: WorkspaceState, taskId: string, attemptId: string): NewFact[] => {
  const from = state.runtimes.get(taskId)?.status ?? "planned";
  return [
    {
      kind: "attempt.finished",
      payload: {
        attemptId,
        taskId,
        status: "SUCCEEDED",
        finishedAt: AT,
        errorSummary: null,
        result: sampleResult(taskId, { artifacts: { files: ["a.ts"], note: null } }),
      },
    },
    { kind: "task.succeeded", payload: { taskId, attemptId } },
    {
      kind: "node.status_updated",
      payload: { nodeId: taskId, from, to: "verified", files: ["a.ts"] },
    },
    { kind: "test.run", payload: { nodeId: taskId, taskId, result: "passed", summary: "" } },
  ];
};

interface Chance {
  readonly state: WorkspaceState;
  readonly random: Random;
  readonly fresh: (prefix: string) => string;
  readonly nodes: readonly string[];
  readonly others: readonly string[];
}

const pick = (random: Random, list: readonly string[]): string =>
  list[below(random, list.length)] ?? ROOT_ID;

/** Things that can happen. Each gives nothing where it does not fit. */
const HAPPENINGS: readonly ((chance: Chance) => NewFact[])[] = [
  ({ random, fresh }) => [
    message(fresh("msg"), `chat-${below(random, 2)}`, "日本語 🙂 ".repeat(below(random, 20))),
  ],
  ({ state, random, fresh, nodes, others }) => {
    const parent = pick(random, nodes);
    const index = below(random, (state.nodes.get(parent)?.children.length ?? 0) + 1);
    return nodeAndTask(fresh("task"), parent, index, others.slice(0, below(random, 3)));
  },
  ({ random, fresh, others }) =>
    others.length > 0
      ? [
          {
            kind: "node.updated",
            payload: { nodeId: pick(random, others), changes: { title: fresh("t") } },
          },
        ]
      : [],
  ({ state, random, nodes, others }) =>
    move(state, pick(random, others), pick(random, nodes), random),
  ({ random, others }) =>
    others.length > 0 && random() < 0.5
      ? [
          {
            kind: "node.deleted",
            payload: { nodeId: pick(random, others), cascade: random() < 0.5 },
          },
        ]
      : [],
  ({ state, random, fresh }) => {
    const runnable = [...state.index.runnable].sort();
    return runnable.length > 0 ? attempt(fresh("att"), pick(random, runnable), state.epoch) : [];
  },
  ({ state, random }) => {
    const taskId = pick(random, [...state.index.running].sort());
    const attemptId = state.tasks.get(taskId)?.currentAttempt;
    return attemptId ? finish(state, taskId, attemptId) : [];
  },
  ({ fresh }) => [backlogItem(fresh("bl"))],
  ({ state, random }) => {
    const backlogId = pick(random, [...state.backlog.keys()].sort());
    if (!state.backlog.has(backlogId)) return [{ kind: "execution.started", payload: {} }];
    return random() < 0.5
      ? [{ kind: "backlog.deleted", payload: { backlogId } }]
      : [{ kind: "backlog.resolved", payload: { backlogId, resolution: "ok", choice: "dismiss" } }];
  },
];

const backlogItem = (id: string): NewFact => {
  const rest = {
    taskId: null,
    type: "BLOCKER",
    title: "t",
    description: "",
    priority: 3,
    createdAt: AT,
  } as const;
  return { kind: "backlog.added", payload: { item: { id, ...rest, metadata: { a_b: 1 } } } };
};

/** Something that can happen next in a state; valid by construction, as decisions of the product are. */
export function randomFacts(
  state: WorkspaceState,
  random: Random,
  fresh: (prefix: string) => string,
): NewFact[] {
  const nodes = [...state.nodes.keys()].sort();
  const others = nodes.filter((id) => id !== ROOT_ID);
  const happening = HAPPENINGS[below(random, HAPPENINGS.length)];
  return happening?.({ state, random, fresh, nodes, others }) ?? [];
}

function move(state: WorkspaceState, nodeId: string, parentId: string, random: Random): NewFact[] {
  if (nodeId === ROOT_ID) return [];
  for (let up: string | null = parentId; up; up = state.nodes.get(up)?.parentId ?? null)
    if (up === nodeId) return [];
  const siblings = state.nodes.get(parentId)?.children.filter((id) => id !== nodeId) ?? [];
  return [
    {
      kind: "node.moved",
      payload: { nodeId, parentId, index: below(random, siblings.length + 1) },
    },
  ];
}
