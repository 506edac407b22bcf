import {
  lonelyTaskYaml,
  type TaskSpecSettings,
  type WantedTask,
} from "@multiverse/orchestrator/execute/task-spec";
import { firstCodePoints } from "@multiverse/orchestrator/plan/code-points";
import { projectPath } from "@multiverse/orchestrator/plan/project-path";
import type { NewId } from "@multiverse/protocol/clock";
import { errorBody, MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import type { BuildTaskAnswer, BuildTaskRequest } from "@multiverse/protocol/meta/build-task";

export interface TaskBuilderPorts {
  /** Asks the meta-agent for a Task YAML; its answer has passed the schema, which knows no permissions. */
  readonly buildTask: (request: BuildTaskRequest, signal: AbortSignal) => Promise<BuildTaskAnswer>;
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
const LONGEST_PROMPT = LIMITS.textLength / 2;

/**
 * A Task YAML for one sentence. The meta-agent says what is wanted; how it is run (worker, sandbox, network, keys) comes
 * from the settings alone. What it answers badly, or not at all, is replaced by the sentence itself, with a warning.
 */
export async function buildTaskConfig(
  rawPrompt: string,
  workspace: { readonly projectRoot: string },
  { buildTask, newId, settings, signal }: TaskBuilderPorts,
): Promise<BuiltTask> {
  const prompt = rawPrompt.trim();
  if (!prompt || prompt.length > LONGEST_PROMPT) throw unspeakable(prompt);
  const title = firstCodePoints(prompt.replace(/\s+/g, " "), TITLE_LENGTH);
  const asked: BuildTaskRequest = {
    rawPrompt: prompt,
    taskId: newId("task"),
    title,
    workspacePath: workspace.projectRoot,
  };
  try {
    const answer = await buildTask(asked, signal);
    return { yaml: lonelyTaskYaml(wantedBy(answer, asked), settings), warning: null };
  } catch (error) {
    signal.throwIfAborted();
    const warning = errorBody(error).error.message;
    return { yaml: lonelyTaskYaml(sentenceAlone(asked), settings), warning };
  }
}

/** A model's task, if it is the one that was asked for. */
function wantedBy({ task }: BuildTaskAnswer, asked: BuildTaskRequest): WantedTask {
  if (task.id !== asked.taskId) throw unusable("its id is another");
  if (!task.title.replace(/\s+/g, " ").includes(asked.title))
    throw unusable("its title does not hold the request");
  if (task.repo !== "." && task.repo !== asked.workspacePath)
    throw unusable("its repo is not this workspace");
  if (!/^\s*(?:[-*•]|\d+[.)])\s+\S/m.test(task.prd.text))
    throw unusable("its PRD has no acceptance criteria");
  const inside = (path: string): string => projectPath(path, asked.workspacePath);
  const { suggestedImpl, test } = task;
  return {
    ...task,
    dependencies: [],
    suggestedImpl: suggestedImpl
      ? { ...suggestedImpl, filePaths: suggestedImpl.filePaths.map(inside) }
      : null,
    test: test ? { ...test, cwd: inside(test.cwd) } : null,
    prd: task.prd.text.includes(asked.rawPrompt)
      ? task.prd.text
      : `Request:\n${asked.rawPrompt}\n\n${task.prd.text}`,
  };
}

/** The deterministic way: everything that is known without a model. */
function sentenceAlone({ taskId, title, rawPrompt }: BuildTaskRequest): WantedTask {
  const criteria = ["The request is fulfilled.", "What worked before still works."];
  const list = criteria.map((criterion) => `- ${criterion}`).join("\n");
  return {
    id: taskId,
    title,
    description: "",
    wbsLevel: 0,
    phaseName: "",
    milestone: "",
    dependencies: [],
    suggestedImpl: null,
    test: null,
    prd: `Request:\n${rawPrompt}\n\nAcceptance criteria:\n${list}`,
  };
}

const unusable = (why: string): MultiverseError =>
  new MultiverseError("META_BAD_ANSWER", `The meta-agent's task cannot be used: ${why}.`, {
    hint: "Try again, or choose another model in the settings.",
  });

const unspeakable = (prompt: string): MultiverseError =>
  new MultiverseError(
    "INVALID_INPUT",
    prompt ? "The sentence is too long for one task." : "There is nothing to build a task from.",
    {
      hint: prompt
        ? "Put the text into a file of the project and name the file in the sentence."
        : 'Say what should be done, such as `multiverse task "add a README"`.',
    },
  );
