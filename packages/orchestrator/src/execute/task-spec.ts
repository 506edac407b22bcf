import type { LlmSettings } from "@multiverse/protocol/settings";
import type { PlanNode } from "@multiverse/protocol/plan-node";
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
export function taskYaml(task: Task, node: PlanNode, settings: TaskSpecSettings): string {
  const explicitKind = task.runnerWorkerKind !== null;
  const spec = {
    version: 1,
    task: {
      id: task.id,
      title: node.title,
      ...(node.description ? { description: node.description } : {}),
      repo: ".",
      wbs_level: node.wbsLevel,
      ...(node.phaseName ? { phase_name: node.phaseName } : {}),
      ...(node.milestone ? { milestone: node.milestone } : {}),
      dependencies: [...node.dependencies],
      ...(node.suggestedImpl ? { suggested_impl: toSnake(node.suggestedImpl) } : {}),
      ...(node.test ? { test: node.test } : {}),
      prd: { text: prdText(task, node) },
    },
    runner: {
      max_loops: task.runnerMaxLoops ?? MAX_LOOPS,
      meta: {
        kind: settings.llm.kind,
        ...(settings.llm.model ? { model: settings.llm.model } : {}),
        ...(settings.llm.systemPrompt ? { system_prompt: settings.llm.systemPrompt } : {}),
      },
      worker: { kind: task.runnerWorkerKind ?? settings.workerKind },
      note: { language: settings.noteLanguage },
      ...(settings.tooling
        ? { tooling: toSnake(withoutWorkerChoice(settings.tooling, explicitKind)) }
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
