import * as fc from "fast-check";
import type { NewFact } from "../../fact.ts";
import { NODE_STATUSES, ROOT_ID, VERIFICATIONS } from "../../plan-node.ts";
import { saveState } from "../../saved-state.ts";
import type { WorkspaceState } from "../../state.ts";
import { sampleNode, sampleResult, sampleTask } from "../../testing/samples.ts";
import { noUsage } from "../../usage.ts";

/** Something that may happen: facts that fit the state it meets, or none. */
export type Happening = (state: WorkspaceState) => NewFact[];

const AT = "2026-01-01T00:00:00.000Z";

/** Chooses among what a state has, the same way for the same number. */
const choose = (list: Iterable<string>, n: number): string | undefined => {
  const sorted = [...list].sort();
  return sorted[n % Math.max(1, sorted.length)];
};
const others = (state: WorkspaceState): string[] =>
  [...state.nodes.keys()].filter((id) => id !== ROOT_ID);

/** Whether `to` can be reached from `from` over dependencies: then an edge back would close a circle. */
function reaches(state: WorkspaceState, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const next of state.nodes.get(id)?.dependencies ?? []) seen.add(next);
  }
  return false;
}

const isInside = (state: WorkspaceState, id: string, ancestor: string): boolean => {
  for (let up: string | null = id; up; up = state.nodes.get(up)?.parentId ?? null)
    if (up === ancestor) return true;
  return false;
};

const numbers = fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000));

const createNode = numbers.map(([a, b, c]): Happening => (state) => {
  const id = `n-${state.nextTaskNumber}`;
  const parentId = choose(state.nodes.keys(), a) ?? ROOT_ID;
  const index = b % ((state.nodes.get(parentId)?.children.length ?? 0) + 1);
  const dependency = choose(others(state), c);
  const facts: NewFact[] = [
    {
      kind: "node.created",
      payload: {
        node: sampleNode(id, { dependencies: dependency && c % 2 ? [dependency] : [] }),
        parentId,
        index,
      },
    },
  ];
  if (a % 4 > 0) facts.push({ kind: "task.created", payload: { task: sampleTask(id) } });
  if (a % 4 === 3)
    facts.push({
      kind: "task.created",
      payload: { task: sampleTask(`${id}-test`, { nodeId: id }) },
    });
  return facts;
});

const updateNode = numbers.map(([a, b, c]): Happening => (state) => {
  const nodeId = choose(others(state), a);
  if (!nodeId) return [];
  const dependencies = [choose(others(state), b), choose(others(state), c)].flatMap((id) =>
    id && !reaches(state, id, nodeId) ? [id] : [],
  );
  const changes = a % 2 ? { title: `t-${b}` } : { dependencies: [...new Set(dependencies)] };
  return [{ kind: "node.updated", payload: { nodeId, changes } }];
});

const moveNode = numbers.map(([a, b, c]): Happening => (state) => {
  const nodeId = choose(others(state), a);
  const parentId = choose(state.nodes.keys(), b);
  if (!nodeId || !parentId || isInside(state, parentId, nodeId)) return [];
  const siblings = state.nodes.get(parentId)?.children.filter((id) => id !== nodeId) ?? [];
  return [{ kind: "node.moved", payload: { nodeId, parentId, index: c % (siblings.length + 1) } }];
});

const deleteNode = numbers.map(([a, b]): Happening => (state) => {
  const nodeId = choose(others(state), a);
  return nodeId && b % 2
    ? [{ kind: "node.deleted", payload: { nodeId, cascade: b % 3 === 0 } }]
    : [];
});

/** Two nodes that would touch the same file: noted on both. */
const conflict = numbers.map(([a, b]): Happening => (state) => {
  const [one, two] = [choose(others(state), a), choose(others(state), b)];
  if (!one || !two || one === two) return [];
  return [
    [one, two],
    [two, one],
  ].map(([nodeId = "", other = ""]) => {
    const known = state.nodes.get(nodeId)?.conflictsWith ?? [];
    return {
      kind: "node.updated",
      payload: { nodeId, changes: { conflictsWith: [...new Set([...known, other])] } },
    };
  });
});

const nodeStatus = numbers.map(([a, b]): Happening => (state) => {
  const nodeId = choose(others(state), a);
  const to = NODE_STATUSES[b % NODE_STATUSES.length] ?? "planned";
  return nodeId
    ? [
        {
          kind: "node.status_updated",
          payload: { nodeId, from: "planned", to, files: [`f-${b % 3}`] },
        },
      ]
    : [];
});

const start = numbers.map(([a]): Happening => (state) => {
  const taskId = choose(state.index.runnable, a);
  if (!taskId) return [];
  const id = `att-${state.seq}`;
  const names = { poolId: "default", agentId: "agent:mock", tool: "mock", model: "", traceId: "t" };
  const attempt = { id, taskId, number: 1, epoch: state.epoch, ...names, startedAt: AT };
  return [
    { kind: "attempt.started", payload: { attempt } },
    { kind: "task.started", payload: { taskId, attemptId: id } },
  ];
});

const end = numbers.map(([a, b]): Happening => (state) => {
  const taskId = choose(state.index.running, a);
  const attemptId = taskId && state.tasks.get(taskId)?.currentAttempt;
  if (!taskId || !attemptId) return [];
  const finished: NewFact = {
    kind: "attempt.finished",
    payload: {
      attemptId,
      taskId,
      status: "SUCCEEDED",
      finishedAt: AT,
      errorSummary: null,
      result: sampleResult(taskId, { usage: { ...noUsage, inputTokens: 3 } }),
    },
  };
  const ends: NewFact[] = [
    { kind: "task.succeeded", payload: { taskId, attemptId } },
    { kind: "task.failed", payload: { taskId, attemptId, reason: null, error: "no" } },
    { kind: "task.canceled", payload: { taskId, attemptId, stopped: b % 2 === 0 } },
    {
      kind: "task.retry_scheduled",
      payload: { taskId, retryAt: AT, reason: "again", cause: "failure" },
    },
    { kind: "task.blocked", payload: { taskId, backlogId: `bl-${b}` } },
  ];
  return [finished, ends[b % ends.length] ?? finished];
});

const taskFact = numbers.map(([a, b]): Happening => (state) => {
  const taskId = choose(state.tasks.keys(), a);
  if (!taskId || state.index.running.has(taskId)) return [];
  const facts: NewFact[] = [
    { kind: "task.skipped", payload: { taskId, dependantsProceed: b % 2 === 0 } },
    { kind: "task.unblocked", payload: { taskId, answer: { question: "q", answer: "a" } } },
    {
      kind: "task.retry_scheduled",
      payload: { taskId, retryAt: AT, reason: "asked", cause: "requested" },
    },
  ];
  return facts.slice(b % facts.length, (b % facts.length) + 1);
});

const testRun = numbers.map(([a, b]): Happening => (state) => {
  const nodeId = choose(others(state), a);
  const outcome = VERIFICATIONS[b % VERIFICATIONS.length] ?? "passed";
  return nodeId
    ? [{ kind: "test.run", payload: { nodeId, taskId: nodeId, result: outcome, summary: "" } }]
    : [];
});

const aside = numbers.map(([a, b]): Happening => (state) => {
  const message = {
    id: `m-${state.seq}`,
    sessionId: `s-${a % 2}`,
    role: "user",
    content: "あ",
    timestamp: AT,
  } as const;
  const item = {
    id: `bl-${b}`,
    taskId: null,
    type: "QUESTION",
    title: "?",
    description: "",
    priority: 3,
    createdAt: AT,
  } as const;
  const facts: NewFact[] = [
    {
      kind: "chat.message",
      payload: { message: { ...message, generatedTasks: [], questions: [] } },
    },
    { kind: "backlog.added", payload: { item: { ...item, metadata: { some_key: 1 } } } },
    {
      kind: "backlog.resolved",
      payload: { backlogId: `bl-${b}`, resolution: "yes", choice: "answer" },
    },
    { kind: "backlog.deleted", payload: { backlogId: `bl-${b}` } },
    { kind: "execution.started", payload: {} },
    { kind: "execution.paused", payload: { reason: "person" } },
    { kind: "execution.stopped", payload: {} },
    {
      kind: "snapshot.restored",
      payload: {
        snapshotId: "snapshot-1",
        stateAt: JSON.parse(JSON.stringify(saveState(state))) as unknown,
      },
    },
  ];
  return facts.slice(a % facts.length, (a % facts.length) + 1);
});

export const happening: fc.Arbitrary<Happening> = fc.oneof(
  { arbitrary: createNode, weight: 6 },
  ...[updateNode, moveNode, conflict, nodeStatus, testRun, taskFact].map((arbitrary) => ({
    arbitrary,
    weight: 2,
  })),
  { arbitrary: deleteNode, weight: 2 },
  { arbitrary: start, weight: 4 },
  { arbitrary: end, weight: 3 },
  { arbitrary: aside, weight: 3 },
);
