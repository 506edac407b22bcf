import type { NodeRuntime, PlanNode, Verification } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task, TaskStatus } from "@multiverse/protocol/task";

/** A task as the graph, the WBS and the lists show it. A new object only when something in it changed. */
export interface Card {
  readonly id: string;
  readonly nodeId: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly phaseName: string;
  readonly milestone: string;
  readonly workType: string;
  readonly domain: string;
  readonly tags: readonly string[];
  readonly dependencies: readonly string[];
  readonly effort: "small" | "medium" | "large" | null;
  readonly tool: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly retryAt: string | null;
  readonly criteriaPassed: number;
  readonly criteriaTotal: number;
  readonly usd: number | null;
  readonly hasSuggestion: boolean;
  readonly verification: Verification;
  /** Everything text search looks at, in lower case. */
  readonly text: string;
}

/** What a card is made from; while these are the same objects, so is the card. */
export interface CardSource {
  readonly task: Task;
  readonly node: PlanNode | undefined;
  readonly runtime: NodeRuntime | undefined;
  readonly status: TaskStatus;
  readonly tool: string;
}

export const sameSource = (a: CardSource, b: CardSource): boolean =>
  a.task === b.task &&
  a.node === b.node &&
  a.runtime === b.runtime &&
  a.status === b.status &&
  a.tool === b.tool;

export function toolOf(state: WorkspaceState, task: Task): string {
  const attemptId = task.currentAttempt ?? task.outcome?.attemptId;
  return attemptId ? (state.attempts.get(attemptId)?.tool ?? "") : "";
}

export function makeCard({ task, node, runtime, status, tool }: CardSource): Card {
  const title = node?.title || task.id;
  const further = task.id !== task.nodeId;
  return {
    id: task.id,
    nodeId: task.nodeId,
    title: further ? `${title} · ${task.kind}` : title,
    status,
    phaseName: node?.phaseName ?? "",
    milestone: node?.milestone ?? "",
    workType: node?.workType ?? "",
    domain: node?.domain ?? "",
    tags: node?.tags ?? [],
    dependencies: further ? [task.nodeId] : (node?.dependencies ?? []),
    effort: node?.effort ?? null,
    tool,
    startedAt: task.startedAt,
    finishedAt: task.finishedAt,
    retryAt: task.retryAt,
    criteriaPassed: task.outcome?.criteria.filter((c) => c.passed).length ?? 0,
    criteriaTotal: task.outcome?.criteria.length ?? node?.acceptanceCriteria.length ?? 0,
    usd: task.usage.usd,
    hasSuggestion: (node?.suggestedImpl?.filePaths.length ?? 0) > 0,
    verification: runtime?.verification ?? "not_tested",
    text: `${title}\n${node?.description ?? ""}\n${task.id}\n${node?.tags.join(" ") ?? ""}`.toLowerCase(),
  };
}
