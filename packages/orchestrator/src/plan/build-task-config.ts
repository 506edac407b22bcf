import { parse } from "yaml";
import type { NewId } from "@multiverse/protocol/clock";
import { errorBody, MultiverseError } from "@multiverse/protocol/error";
import { find } from "@multiverse/protocol/find";
import { LIMITS } from "@multiverse/protocol/limits";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { emptyState } from "@multiverse/protocol/state";
import { toCamel } from "@multiverse/protocol/case";
import { TaskFile } from "@multiverse/protocol/task-file";
import { taskYaml, type TaskSpecSettings } from "../execute/task-spec.ts";
import { firstCodePoints } from "./code-points.ts";
import { patchToFacts } from "./patch-to-facts.ts";
import { draftPlan } from "./plan-draft.ts";

export interface TaskBuilderPorts {
  /** Asks the meta-agent for a Task YAML that does what the sentence says; the text as it came. */
  askTaskYaml(prompt: string, signal: AbortSignal): Promise<string>;
  readonly newId: NewId;
  readonly settings: TaskSpecSettings;
  readonly signal: AbortSignal;
}

export interface BuiltTask {
  readonly yaml: string;
  /** Why the meta-agent had no part in it, if it had none. */
  readonly warning: string | null;
}

/** Longer sentences name the task by their beginning and are whole in its PRD. */
const TITLE_LENGTH = 200;
const AT = new Date(0).toISOString();

/**
 * A Task YAML for one sentence. The meta-agent says what is wanted; how it is run (worker, sandbox, network, keys) never
 * comes from a model. What it answers badly, or not at all, is replaced by the sentence alone, with a warning.
 */
export async function buildTaskConfig(
  rawPrompt: string,
  workspace: { readonly projectRoot: string },
  ports: TaskBuilderPorts,
): Promise<BuiltTask> {
  const prompt = rawPrompt.trim();
  if (!prompt)
    throw new MultiverseError("INVALID_INPUT", "There is nothing to build a task from.", {
      hint: 'Say what should be done, such as `multiverse task "add a README"`.',
    });
  const id = ports.newId("task");
  try {
    const text = await ports.askTaskYaml(prompt, ports.signal);
    const wanted = wantedBy(text, prompt, workspace.projectRoot);
    return {
      yaml: generate(id, prompt, wanted, workspace.projectRoot, ports.settings),
      warning: null,
    };
  } catch (error) {
    ports.signal.throwIfAborted();
    const wanted = { acceptanceCriteria: [`The request is fulfilled: ${prompt}`] };
    const warning = `${errorBody(error).error.message} The task says only what you said.`;
    const { projectRoot } = workspace;
    return { yaml: generate(id, prompt, wanted, projectRoot, ports.settings), warning };
  }
}

type Wanted = Partial<Extract<PlanOperation, { op: "create" }>>;

const titleOf = (prompt: string): string => firstCodePoints(prompt, TITLE_LENGTH);

/** What a model's Task YAML says about the work, if it keeps to the rules. */
function wantedBy(text: string, prompt: string, projectRoot: string): Wanted {
  const parsed = TaskFile.safeParse(readYaml(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw unusable(`${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim());
  }
  const { task } = toCamel(parsed.data);
  if (task.id === undefined) throw unusable("it has no task.id");
  if (!task.title.includes(titleOf(prompt))) throw unusable("its title does not hold the request");
  if (task.repo !== "." && task.repo !== projectRoot)
    throw unusable("its repo is not this workspace");
  if (!task.prd.text?.trim()) throw unusable("it has no prd.text");
  const { wbsLevel, phaseName, milestone, suggestedImpl, test } = task;
  return {
    title: task.title,
    description: [task.description, task.prd.text].filter(Boolean).join("\n\n"),
    wbsLevel,
    phaseName,
    milestone,
    ...(suggestedImpl ? { suggestedImpl } : {}),
    ...(test ? { test } : {}),
  };
}

function readYaml(text: string): unknown {
  if (text.length > LIMITS.taskFileBytes) throw unusable("it is too long");
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    throw unusable("it is not YAML");
  }
}

const unusable = (why: string): MultiverseError =>
  new MultiverseError("META_BAD_ANSWER", `The meta-agent's task cannot be used: ${why}.`, {
    hint: "Try again, or choose another model in the settings.",
  });

/** The same YAML as a task of a plan gets, from a plan that exists only for this. */
function generate(
  id: string,
  prompt: string,
  wanted: Wanted,
  projectRoot: string,
  settings: TaskSpecSettings,
): string {
  const draft = draftPlan(emptyState, AT);
  draft.add({ kind: "workspace.created", payload: { projectRoot, name: "", wbsId: "wbs" } });
  const operations: PlanOperation[] = [{ op: "create", title: titleOf(prompt), ...wanted }];
  const origin = { text: prompt, by: "task", at: AT, projectRoot };
  const change = patchToFacts(draft.state, { operations, potentialConflicts: [] }, origin);
  draft.add(...change.facts);
  const [task] = draft.state.tasks.values();
  if (!task) throw new Error("a plan of one task has no task");
  return taskYaml({ ...task, id }, find(draft.state.nodes, task.nodeId), settings);
}
