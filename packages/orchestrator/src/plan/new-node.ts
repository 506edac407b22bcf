import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { NodeChanges, NodeDesign } from "@multiverse/protocol/plan-node";
import type { NewTask, TaskKind } from "@multiverse/protocol/task";
import { firstCodePoints } from "./code-points.ts";
import { inferDomain, inferWbsLevel, inferWorkType } from "./infer-facets.ts";
import { projectPath } from "./project-path.ts";
import { refuse } from "./refuse.ts";

type Create = Extract<PlanOperation, { op: "create" }>;
type Update = Extract<PlanOperation, { op: "update" }>;

export interface Origin {
  /** The sentence the change came from; part of the task's PRD. */
  readonly text: string;
  readonly by: string;
  readonly at: string;
  readonly projectRoot: string;
}

const TITLE_WORDS = 8;
const TITLE_LENGTH = 80;

/** Without a title the first words of the description; without both there is nothing to call it. */
function titleOf({ title, description }: Create): string {
  if (title?.trim()) return title.trim();
  const words = (description ?? "").trim().split(/\s+/).slice(0, TITLE_WORDS).join(" ");
  if (!words) throw refuse("a new task needs a title or a description");
  return firstCodePoints(words, TITLE_LENGTH);
}

const normalised = (impl: Create["suggestedImpl"], root: string): NodeDesign["suggestedImpl"] =>
  impl
    ? { ...impl, filePaths: [...new Set(impl.filePaths.map((path) => projectPath(path, root)))] }
    : null;

export function newNode(
  id: string,
  operation: Create,
  dependencies: string[],
  origin: Origin,
): NodeDesign {
  const title = titleOf(operation);
  const suggestedImpl = normalised(operation.suggestedImpl, origin.projectRoot);
  const hints = {
    title,
    description: operation.description ?? "",
    phaseName: operation.phaseName ?? "",
    filePaths: suggestedImpl?.filePaths ?? [],
  };
  const workType = operation.workType || inferWorkType(hints);
  return {
    id,
    title,
    description: hints.description,
    kind: "feature",
    priority: operation.priority ?? null,
    effort: operation.estimatedEffort ?? null,
    dependencies,
    acceptanceCriteria: operation.acceptanceCriteria ?? [],
    designNotes: [],
    suggestedImpl,
    test: operation.test ?? null,
    phaseName: hints.phaseName,
    milestone: operation.milestone ?? "",
    wbsLevel: operation.wbsLevel ?? inferWbsLevel(workType),
    workType,
    domain: operation.domain || inferDomain(hints.filePaths),
    tags: operation.tags ?? [],
    conflictsWith: [],
    origin: origin.text,
    createdAt: origin.at,
    createdBy: origin.by,
  };
}

/** Only what the operation names; lists replace the whole list. */
export function nodeChanges(
  operation: Update,
  dependencies: string[] | undefined,
  origin: Origin,
): NodeChanges {
  if (operation.title !== undefined && !operation.title.trim())
    throw refuse(`task ${operation.taskId} cannot lose its title`);
  const {
    op: _op,
    taskId: _id,
    estimatedEffort,
    suggestedImpl,
    dependencies: _deps,
    ...same
  } = operation;
  return {
    ...same,
    ...(estimatedEffort === undefined ? {} : { effort: estimatedEffort }),
    ...(suggestedImpl === undefined
      ? {}
      : { suggestedImpl: normalised(suggestedImpl, origin.projectRoot) }),
    ...(dependencies === undefined ? {} : { dependencies }),
  };
}

/** What kind of work a node's implementing task is; the phase decides. */
function taskKind(workType: string): TaskKind {
  if (/test|verif|valid/i.test(workType)) return "test";
  if (/refactor/i.test(workType)) return "refactor";
  if (/analy|research|investigat/i.test(workType)) return "analysis";
  if (/spec|docs?$|design|plan/i.test(workType)) return "planning";
  return "implementation";
}

const POOL: Readonly<Record<TaskKind, string>> = {
  planning: "default",
  implementation: "codegen",
  refactor: "codegen",
  test: "test",
  analysis: "default",
};

const TASK_PRIORITY = { high: 100, medium: 50, low: 10 } as const;

export function newTask(node: NodeDesign, poolId: string | undefined): NewTask {
  const kind = taskKind(node.workType);
  return {
    id: node.id,
    nodeId: node.id,
    kind,
    poolId: poolId ?? POOL[kind],
    priority: node.priority ? TASK_PRIORITY[node.priority] : null,
    goal: node.title,
    constraints: node.suggestedImpl?.constraints ?? [],
    runnerMaxLoops: null,
    runnerWorkerKind: null,
    createdAt: node.createdAt,
  };
}
