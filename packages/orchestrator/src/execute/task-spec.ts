import type { LlmSettings } from "@multiverse/protocol/settings";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { SuggestedImpl, TestCommand } from "@multiverse/protocol/suggested-impl";
import type { Task } from "@multiverse/protocol/task";
import type { Tooling } from "@multiverse/protocol/tooling";
import { toSnake } from "@multiverse/protocol/case";
import { stringify } from "yaml";

/** Returns what the orchestrator writes unless told otherwise; agent-runner on its own allows 10. */
const MAX_LOOPS = 5;

export interface TaskSpecSettings {
  readonly llm: LlmSettings;
  readonly tooling: Tooling | null;
  readonly workerKind: string;
  readonly noteLanguage: "ja" | "en";
}

/** The Task YAML of an attempt: the same task and settings give the same text, byte for byte. Pure. */
export const taskYaml = (task: Task, node: PlanNode, settings: TaskSpecSettings): string =>
  specYaml(
    {
      id: task.id,
      title: node.title,
      description: node.description,
      wbsLevel: node.wbsLevel,
      phaseName: node.phaseName,
      milestone: node.milestone,
      dependencies: [...node.dependencies],
      suggestedImpl: node.suggestedImpl,
      test: node.test,
      prd: prdText(task, node),
    },
    { maxLoops: task.runnerMaxLoops, workerKind: task.runnerWorkerKind },
    settings,
  );

/** What is wanted of one run. */
export interface WantedTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly wbsLevel: number;
  readonly phaseName: string;
  readonly milestone: string;
  readonly dependencies: readonly string[];
  readonly suggestedImpl: SuggestedImpl | null;
  readonly test: TestCommand | null;
  readonly prd: string;
}

/** The Task YAML of a task without a plan. Pure. */
export const lonelyTaskYaml = (wanted: WantedTask, settings: TaskSpecSettings): string =>
  specYaml(wanted, { maxLoops: null, workerKind: null }, settings);

function specYaml(
  wanted: WantedTask,
  own: { readonly maxLoops: number | null; readonly workerKind: string | null },
  settings: TaskSpecSettings,
): string {
  const spec = {
    version: 1,
    task: {
      id: wanted.id,
      title: wanted.title,
      ...(wanted.description ? { description: wanted.description } : {}),
      repo: ".",
      wbs_level: wanted.wbsLevel,
      ...(wanted.phaseName ? { phase_name: wanted.phaseName } : {}),
      ...(wanted.milestone ? { milestone: wanted.milestone } : {}),
      dependencies: wanted.dependencies,
      ...(wanted.suggestedImpl ? { suggested_impl: toSnake(wanted.suggestedImpl) } : {}),
      ...(wanted.test ? { test: wanted.test } : {}),
      prd: { text: wanted.prd },
    },
    runner: {
      max_loops: own.maxLoops ?? MAX_LOOPS,
      meta: {
        kind: settings.llm.kind,
        ...(settings.llm.model ? { model: settings.llm.model } : {}),
        ...(settings.llm.systemPrompt ? { system_prompt: settings.llm.systemPrompt } : {}),
      },
      worker: { kind: own.workerKind ?? settings.workerKind },
      note: { language: settings.noteLanguage },
      ...(settings.tooling
        ? { tooling: toSnake(withoutWorkerChoice(settings.tooling, own.workerKind !== null)) }
        : {}),
    },
  };
  return stringify(spec, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** A task with an explicit worker kind skips the worker category. */
function withoutWorkerChoice(tooling: Tooling, explicitKind: boolean): Tooling {
  if (!explicitKind) return tooling;
  const profiles = tooling.profiles.map((profile) => {
    const { worker: _, ...categories } = profile.categories;
    return { ...profile, categories };
  });
  return { ...tooling, profiles };
}

/** What the worker and the meta-agent are told: where the task came from, what is wanted, and what people answered. */
function prdText(task: Task, node: PlanNode): string {
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");
  const parts: [string, string][] = [
    ["Request", node.origin],
    ["Goal", task.goal],
    ["Description", node.description],
    ["Acceptance criteria", list(node.acceptanceCriteria)],
    ["Constraints", list(task.constraints)],
    [
      "Answers",
      task.answers.map(({ question, answer }) => `- ${question}\n  → ${answer}`).join("\n"),
    ],
  ];
  return parts
    .filter(([, text]) => text.trim() !== "")
    .map(([heading, text]) => `${heading}:\n${text.trim()}`)
    .join("\n\n");
}
