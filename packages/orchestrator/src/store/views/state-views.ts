import type {
  AgentsFile,
  NodesRuntimeFile,
  TasksFile,
  TestsFile,
} from "@multiverse/protocol/design-files";
import type { NodeRuntime, PlanNode } from "@multiverse/protocol/plan-node";
import type { NodeTest, WorkspaceState } from "@multiverse/protocol/state";
import type { Task, TaskStatus } from "@multiverse/protocol/task";
import type { AgentSlot } from "../workspace.ts";

/** state/: how far everything is, in the shapes that other tools read. */
type TaskEntry = TasksFile["tasks"][number];

const PRIORITY = { high: 100, medium: 50, low: 10 } as const;

const priorityOf = (task: Task, node: PlanNode | undefined): number =>
  task.priority ?? PRIORITY[node?.priority ?? "medium"];

export function taskEntry(task: Task, node: PlanNode | undefined, status: TaskStatus): TaskEntry {
  return {
    task_id: task.id,
    node_id: task.nodeId,
    kind: task.kind,
    status,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    scheduled_by: "scheduler",
    assigned_agent: task.assignedAgent ?? "",
    priority: priorityOf(task, node),
    inputs: inputsOf(task, node),
    outputs: {
      status: task.outcome?.status ?? "unknown",
      artifacts: task.outcome ? { files: task.outcome.files, note: task.outcome.note } : {},
    },
  };
}

function inputsOf(task: Task, node: PlanNode | undefined): TaskEntry["inputs"] {
  return {
    goal: task.goal,
    constraints: task.constraints,
    attempt_count: task.attemptCount,
    ...(task.retryAt && { next_retry_at: task.retryAt }),
    ...(task.runnerMaxLoops !== null && { runner_max_loops: task.runnerMaxLoops }),
    ...(task.runnerWorkerKind !== null && { runner_worker_kind: task.runnerWorkerKind }),
    ...(node && {
      "facet.phase_name": node.phaseName,
      "facet.milestone": node.milestone,
      "facet.wbs_level": node.wbsLevel,
      "facet.work_type": node.workType,
      "facet.domain": node.domain,
      "facet.tags": node.tags,
    }),
  };
}

export const runtimeEntry = (runtime: NodeRuntime): NodesRuntimeFile["nodes"][number] => ({
  node_id: runtime.nodeId,
  status: runtime.status,
  implementation: {
    files: [...runtime.files],
    last_modified_at: runtime.lastModifiedAt,
    last_modified_by: runtime.lastModifiedBy,
  },
  verification: {
    status: runtime.verification,
    last_test_task_id: runtime.lastTestTaskId,
    last_test_at: runtime.lastTestAt,
  },
  notes: [...runtime.notes],
});

export const testEntry = (test: NodeTest): TestsFile["node_tests"][number] => ({
  node_id: test.nodeId,
  last_result: { status: test.status, test_task_id: test.testTaskId, summary: test.summary },
});

/** The slots as configured, each with what runs in it; a slot that is no longer configured shows while it is busy. */
export function agentEntries(
  state: WorkspaceState,
  slots: readonly AgentSlot[],
): AgentsFile["agents"] {
  const running = new Map<string, string[]>();
  for (const id of [...state.index.running].sort()) {
    const agent = state.tasks.get(id)?.assignedAgent ?? "";
    running.set(agent, [...(running.get(agent) ?? []), id]);
  }
  const known = slots.map((slot) => ({ ...slot, running_tasks: running.get(slot.agent_id) ?? [] }));
  const names = new Set(slots.map((slot) => slot.agent_id));
  const others = [...running].filter(([agent]) => agent !== "" && !names.has(agent));
  const unknown = others.map(([agent, tasks]) => ({
    agent_id: agent,
    kind: "code",
    max_parallel: tasks.length,
    running_tasks: tasks,
    capabilities: [],
  }));
  return [...known, ...unknown];
}
