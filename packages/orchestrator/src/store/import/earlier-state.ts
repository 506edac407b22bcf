import { apply } from "@multiverse/protocol/apply/apply";
import type { AttemptFile, ChatLine } from "@multiverse/protocol/entity-files";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { idProblem } from "@multiverse/protocol/id";
import { saveState, type SavedState } from "@multiverse/protocol/saved-state";
import { emptyState } from "@multiverse/protocol/state";
import type { Task, TaskProgress, TaskStatus } from "@multiverse/protocol/task";
import { newTaskIds, placedNodes } from "./earlier-nodes.ts";
import type { Earlier } from "./read-earlier.ts";

export interface ImportPlace {
  readonly workspaceId: string;
  readonly projectRoot: string;
  readonly name: string;
  readonly now: Date;
}

/**
 * The state of an earlier workspace. It is told as facts and applied, so that it holds together as any other state
 * does; what no fact can say (how often a task was tried) is set afterwards.
 */
export function earlierState(earlier: Earlier, place: ImportPlace): SavedState {
  const now = place.now.toISOString();
  const ids = newTaskIds(earlier);
  const facts = [
    ...planFacts(earlier, ids, place, now),
    ...courseFacts(earlier, ids, now),
    ...chatFacts(earlier.chat, now),
  ];
  const state = apply(
    emptyState,
    facts.map((fact, i) => stamp(fact, i + 1, place, now)),
  );
  const tasks = state.tasks.withMutations((map) => {
    for (const entry of earlier.tasks) {
      const task = map.get(ids.get(entry.task_id) ?? "");
      if (task) map.set(task.id, { ...task, ...course(entry, now) });
    }
  });
  const nextTaskNumber = Math.max(state.nextTaskNumber, earlier.nextTaskNumber);
  return { ...saveState({ ...state, tasks }), nextTaskNumber };
}

function stamp(fact: NewFact, seq: number, { workspaceId }: ImportPlace, at: string): Fact {
  return {
    ...fact,
    v: 1,
    seq,
    id: `act-import-${seq}`,
    at,
    workspaceId,
    by: fact.by ?? "import",
    tx: "import",
    i: 0,
    n: 1,
  };
}

function planFacts(
  earlier: Earlier,
  ids: ReadonlyMap<string, string>,
  place: ImportPlace,
  now: string,
): NewFact[] {
  const { projectRoot, name, workspaceId } = place;
  const wbsId =
    earlier.wbs && !idProblem(earlier.wbs.wbs_id) ? earlier.wbs.wbs_id : `wbs-${workspaceId}`;
  const facts: NewFact[] = [
    { kind: "workspace.created", payload: { projectRoot, name: earlier.name ?? name, wbsId } },
  ];
  const nodes = placedNodes(earlier, ids, now);
  for (const { node, parentId, index } of nodes)
    facts.push({ kind: "node.created", payload: { node, parentId, index } });
  const known = new Set(nodes.map(({ node }) => node.id));
  const made = new Set<string>();
  const task = (id: string, nodeId: string, rest: Partial<Task>): void => {
    if (made.has(id) || !known.has(nodeId)) return;
    made.add(id);
    facts.push({
      kind: "task.created",
      payload: {
        task: {
          id,
          nodeId,
          kind: "implementation",
          poolId: "default",
          priority: null,
          goal: "",
          constraints: [],
          runnerMaxLoops: null,
          runnerWorkerKind: null,
          createdAt: now,
          ...rest,
        },
      },
    });
  };
  for (const entry of earlier.tasks) {
    const { goal, constraints, runner_max_loops: loops, runner_worker_kind: worker } = entry.inputs;
    task(ids.get(entry.task_id) ?? entry.task_id, entry.node_id, {
      kind: entry.kind,
      priority: Math.trunc(entry.priority) || null,
      goal: typeof goal === "string" ? goal : "",
      constraints: Array.isArray(constraints)
        ? constraints.filter((text) => typeof text === "string")
        : [],
      runnerMaxLoops: typeof loops === "number" ? Math.trunc(loops) : null,
      runnerWorkerKind: typeof worker === "string" ? worker : null,
      createdAt: iso(entry.created_at, now),
    });
  }
  for (const line of earlier.lines)
    task(ids.get(line.id) ?? line.id, ids.get(line.id) ?? line.id, { poolId: line.poolId });
  for (const { node } of nodes) task(node.id, node.id, {});
  return facts;
}

function courseFacts(earlier: Earlier, ids: ReadonlyMap<string, string>, now: string): NewFact[] {
  const facts: NewFact[] = [];
  const inState = new Set(earlier.tasks.map((task) => ids.get(task.task_id)));
  for (const line of earlier.lines) {
    const taskId = ids.get(line.id) ?? line.id;
    if (!inState.has(taskId)) facts.push(...outcome(taskId, line.status));
  }
  for (const runtime of earlier.runtimes) {
    const { files } = runtime.implementation;
    const note = runtime.notes.map((entry) => entry.text).join("\n");
    const payload = {
      nodeId: runtime.node_id,
      from: "planned",
      to: runtime.status,
      files,
      ...(note && { note }),
    } as const;
    facts.push({ kind: "node.status_updated", payload });
  }
  for (const { node_id: nodeId, last_result: last } of earlier.tests) {
    const taskId = ids.get(last.test_task_id) ?? nodeId;
    facts.push({
      kind: "test.run",
      payload: { nodeId, taskId, result: last.status, summary: last.summary },
    });
  }
  for (const attempt of earlier.attempts) facts.push(...attemptFacts(attempt, ids, now));
  for (const { resolvedAt, resolution, ...item } of earlier.backlog) {
    const taskId = item.taskId && (ids.get(item.taskId) ?? item.taskId);
    facts.push({
      kind: "backlog.added",
      payload: { item: { ...item, taskId, createdAt: iso(item.createdAt, now) } },
    });
    if (resolvedAt) {
      facts.push({
        kind: "backlog.resolved",
        payload: { backlogId: item.id, resolution: resolution ?? "", choice: "dismiss" },
      });
    }
  }
  return facts;
}

function attemptFacts(file: AttemptFile, ids: ReadonlyMap<string, string>, now: string): NewFact[] {
  const { id, tool, model, errorSummary } = file;
  const taskId = ids.get(file.taskId) ?? file.taskId;
  const attempt = {
    id,
    taskId,
    tool,
    model,
    number: 1,
    epoch: 0,
    poolId: "default",
    agentId: "",
    traceId: "",
    startedAt: iso(file.startedAt, now),
  };
  const open = file.status === "STARTING" || file.status === "RUNNING";
  const finishedAt = iso(file.finishedAt ?? "", now);
  const end = {
    attemptId: id,
    taskId,
    status: open ? "LOST" : file.status,
    finishedAt,
    errorSummary,
    result: null,
  } as const;
  return [
    { kind: "attempt.started", payload: { attempt } },
    { kind: "attempt.finished", payload: end },
  ];
}

/** What a finished task of the older store came to. */
function outcome(taskId: string, status: TaskStatus): NewFact[] {
  switch (progressOf(status)) {
    case "succeeded":
      return [
        { kind: "task.succeeded", payload: { taskId, attemptId: taskId } },
        {
          kind: "node.status_updated",
          payload: { nodeId: taskId, from: "planned", to: "implemented" },
        },
      ];
    case "failed":
      return [
        { kind: "task.failed", payload: { taskId, attemptId: null, reason: null, error: "" } },
      ];
    case "canceled":
      return [{ kind: "task.canceled", payload: { taskId, attemptId: null, stopped: false } }];
    case "skipped":
      return [{ kind: "task.skipped", payload: { taskId, dependantsProceed: false } }];
    case "waiting":
    case "running":
      return [];
  }
}

const chatFacts = (lines: readonly ChatLine[], now: string): NewFact[] =>
  lines.map((line) => ({
    kind: "chat.message",
    payload: {
      message: {
        ...line,
        timestamp: iso(line.timestamp, now),
        generatedTasks: line.generatedTasks.filter((id) => !idProblem(id)),
        questions: line.questions,
      },
    },
  }));

const iso = (time: string, fallback: string): string =>
  Number.isNaN(Date.parse(time)) ? fallback : new Date(time).toISOString();

/** Nothing of an earlier workspace is running any more; what was, waits again. */
function progressOf(status: TaskStatus): TaskProgress {
  switch (status) {
    case "SUCCEEDED":
      return "succeeded";
    case "FAILED":
      return "failed";
    case "CANCELED":
      return "canceled";
    case "SKIPPED":
      return "skipped";
    case "PENDING":
    case "READY":
    case "RUNNING":
    case "BLOCKED":
    case "RETRY_WAIT":
      return "waiting";
  }
}

function course(entry: Earlier["tasks"][number], now: string): Partial<Task> {
  const { attempt_count: attempts, next_retry_at: retryAt } = entry.inputs;
  const progress = progressOf(entry.status);
  return {
    progress,
    attemptCount: typeof attempts === "number" ? Math.max(0, Math.trunc(attempts)) : 0,
    retryAt:
      entry.status === "RETRY_WAIT" && typeof retryAt === "string" ? iso(retryAt, now) : null,
    updatedAt: iso(entry.updated_at, now),
    finishedAt: progress === "waiting" ? null : iso(entry.updated_at, now),
  };
}
