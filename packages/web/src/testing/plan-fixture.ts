import { apply } from "@multiverse/protocol/apply/apply";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { RunResult } from "@multiverse/protocol/run-result";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { sampleNode, sampleTask } from "@multiverse/protocol/testing/samples";

/** Plans for tests and stories, made of facts like real ones. */
const AT = "2026-01-05T10:00:00.000Z";

export interface FixtureTask {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly after?: readonly string[];
  readonly parent?: string;
  readonly milestone?: string;
  readonly phase?: string;
  readonly workType?: string;
  readonly domain?: string;
  readonly tags?: readonly string[];
  readonly effort?: "small" | "medium" | "large";
  readonly criteria?: readonly string[];
  readonly files?: readonly string[];
  readonly state?:
    "running" | "succeeded" | "failed" | "canceled" | "skipped" | "retry" | "question";
}

/** Stamps facts so that they follow a state. */
export function stamp(state: WorkspaceState, facts: readonly NewFact[], at = AT): Fact[] {
  return facts.map((fact, i) => ({
    v: 1,
    seq: state.seq + i + 1,
    id: `act-${state.seq + i + 1}`,
    at,
    workspaceId: "0123456789ab",
    by: "person",
    tx: `tx-${state.seq + 1}`,
    i,
    n: facts.length,
    ...fact,
  }));
}

export const after = (state: WorkspaceState, facts: readonly NewFact[], at = AT): WorkspaceState =>
  apply(state, stamp(state, facts, at));

export function planState(tasks: readonly FixtureTask[]): WorkspaceState {
  const created: NewFact = {
    kind: "workspace.created",
    payload: { projectRoot: "/home/ada/todo-app", name: "todo-app", wbsId: "wbs-1" },
  };
  let state = after(emptyState, [
    created,
    ...tasks.flatMap((task, i) => nodeFacts(task, i, tasks)),
  ]);
  state = after(state, [{ kind: "execution.started", payload: {} }]);
  return after(state, tasks.flatMap(progressFacts), "2026-01-05T10:01:12.000Z");
}

function nodeFacts(task: FixtureTask, i: number, all: readonly FixtureTask[]): NewFact[] {
  const parentId = task.parent ?? ROOT_ID;
  const index = all.slice(0, i).filter((other) => (other.parent ?? ROOT_ID) === parentId).length;
  return [
    {
      kind: "node.created",
      payload: {
        parentId,
        index,
        node: sampleNode(task.id, {
          title: task.title ?? task.id,
          description: task.description ?? "",
          effort: task.effort ?? null,
          dependencies: [...(task.after ?? [])],
          acceptanceCriteria: [...(task.criteria ?? [])],
          suggestedImpl: task.files
            ? { language: "", filePaths: [...task.files], constraints: [] }
            : null,
          phaseName: task.phase ?? "",
          milestone: task.milestone ?? "",
          workType: task.workType ?? "",
          domain: task.domain ?? "",
          tags: [...(task.tags ?? [])],
          createdAt: AT,
          createdBy: "meta",
        }),
      },
    },
    { kind: "task.created", payload: { task: sampleTask(task.id, { createdAt: AT }) } },
  ];
}

const attemptId = (taskId: string): string => `attempt-${taskId}`;

function started(taskId: string): NewFact[] {
  const attempt = {
    id: attemptId(taskId),
    taskId,
    number: 1,
    epoch: 0,
    poolId: "default",
    agentId: "agent-1",
    tool: "codex-cli",
    model: "gpt-5.2-codex",
    traceId: "trace",
    startedAt: AT,
  };
  return [
    { kind: "attempt.started", payload: { attempt } },
    { kind: "task.started", payload: { taskId, attemptId: attempt.id } },
  ];
}

function finished(task: FixtureTask, passed: boolean): NewFact {
  const criteria = (task.criteria ?? []).map((description, i) => ({
    id: `AC-${i + 1}`,
    description,
    passed: passed || i === 0,
    comment: passed ? "checked with its command" : "exit code 1",
    evidence: null,
  }));
  const result: RunResult = {
    taskId: task.id,
    status: passed ? "succeeded" : "failed",
    state: passed ? "COMPLETE" : "FAILED",
    summary: passed ? "Every criterion is met and backed by a check." : "2 of 3 criteria failed.",
    reason: passed ? null : "max_loops",
    question: null,
    retryAt: null,
    criteria,
    validation: {
      overall: passed ? "passed" : "failed",
      commands: [{ command: "npm test", exitCode: passed ? 0 : 1, durationMs: 1_840 }],
      warnings: [],
    },
    artifacts: { files: [...(task.files ?? [])], note: null },
    usage: { inputTokens: 18_400, outputTokens: 2_150, usd: 0.14 },
    workerRuns: 1,
    metaCalls: 3,
    loops: 1,
    durationMs: 72_000,
  };
  return {
    kind: "attempt.finished",
    payload: {
      attemptId: attemptId(task.id),
      taskId: task.id,
      status: passed ? "SUCCEEDED" : "FAILED",
      finishedAt: "2026-01-05T10:01:12.000Z",
      errorSummary: passed ? null : "npm test ended with exit code 1",
      result,
    },
  };
}

function progressFacts(task: FixtureTask): NewFact[] {
  const ids = { taskId: task.id, attemptId: attemptId(task.id) };
  if (task.state === undefined) return [];
  switch (task.state) {
    case "running":
      return started(task.id);
    case "succeeded":
      return [
        ...started(task.id),
        finished(task, true),
        { kind: "task.succeeded", payload: ids },
        {
          kind: "node.status_updated",
          payload: { nodeId: task.id, from: "planned", to: "verified" },
        },
      ];
    case "failed":
      return [
        ...started(task.id),
        finished(task, false),
        { kind: "task.failed", payload: { ...ids, reason: "max_loops", error: "out of loops" } },
        { kind: "backlog.added", payload: { item: failure(task) } },
      ];
    case "canceled":
      return [{ kind: "task.canceled", payload: { ...ids, attemptId: null, stopped: false } }];
    case "skipped":
      return [{ kind: "task.skipped", payload: { taskId: task.id, dependantsProceed: true } }];
    case "retry":
      return [
        ...started(task.id),
        finished(task, false),
        {
          kind: "task.retry_scheduled",
          payload: {
            taskId: task.id,
            retryAt: "2026-01-05T10:02:30.000Z",
            reason: "rate limit of codex-cli",
            cause: "rate_limit",
          },
        },
      ];
    case "question":
      return [
        { kind: "backlog.added", payload: { item: question(task) } },
        { kind: "task.blocked", payload: { taskId: task.id, backlogId: `ask-${task.id}` } },
      ];
  }
}

const question = (task: FixtureTask) => ({
  id: `ask-${task.id}`,
  taskId: task.id,
  type: "QUESTION" as const,
  title: "Which storage shall be used?",
  description: "A file is simple; SQLite is safer when several people write.",
  priority: 3,
  createdAt: AT,
  metadata: { options: ["A file", "SQLite"] },
});

const failure = (task: FixtureTask) => ({
  id: `fail-${task.id}`,
  taskId: task.id,
  type: "FAILURE" as const,
  title: `${task.title ?? task.id} failed: 2 of 3 criteria`,
  description: "`npm test` ended with exit code 1 after 3 attempts.",
  priority: 4,
  createdAt: AT,
  metadata: {},
});
