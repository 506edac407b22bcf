import type { MetaAgent } from "@multiverse/agents/meta/meta-agent";
import { taskYaml, type TaskSpecSettings } from "@multiverse/orchestrator/execute/task-spec";
import { apply } from "@multiverse/protocol/apply/apply";
import { errorBody } from "@multiverse/protocol/error";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import { emptyState, rootNode } from "@multiverse/protocol/state";

export interface BuiltTask {
  readonly yaml: string;
  /** Why the meta-agent had no part in it, if it had none. */
  readonly warning: string | null;
}

const TITLE_LENGTH = 200;

/** A Task YAML for one sentence. The meta-agent says what "done" means; without one, the sentence alone has to do. */
export async function buildTaskConfig(
  id: string,
  sentence: string,
  meta: Pick<MetaAgent, "planTask">,
  settings: TaskSpecSettings,
  signal: AbortSignal,
): Promise<BuiltTask> {
  const title = Array.from(sentence).slice(0, TITLE_LENGTH).join("");
  const question = {
    task: { id, title, description: sentence, ...NO_PLACE },
    prd: sentence,
    suggestedImpl: null,
    test: null,
  };
  const yamlWith = (criteria: string[]): string =>
    planOfOne(id, title, sentence, criteria, settings);
  try {
    const { answer } = await meta.planTask(question, signal);
    const criteria = answer.acceptanceCriteria.map(({ description }) => description);
    return { yaml: yamlWith(criteria), warning: null };
  } catch (error) {
    return { yaml: yamlWith([]), warning: errorBody(error).error.message };
  }
}

const NO_PLACE = { wbsLevel: 0, phaseName: "", milestone: "", dependencies: [] };

/** The same YAML as a task of a plan gets, from a plan that exists only for this. */
function planOfOne(
  id: string,
  title: string,
  origin: string,
  acceptanceCriteria: string[],
  settings: TaskSpecSettings,
): string {
  const at = new Date(0).toISOString();
  const { parentId: _parent, children: _children, updatedAt: _updated, ...blank } = rootNode(at);
  const task = { id, nodeId: id, kind: "implementation", poolId: "default" } as const;
  const facts: NewFact[] = [
    { kind: "workspace.created", payload: { projectRoot: "/", name: "", wbsId: "wbs" } },
    {
      kind: "node.created",
      payload: {
        node: { ...blank, id, title, origin, acceptanceCriteria },
        parentId: ROOT_ID,
        index: 0,
      },
    },
    {
      kind: "task.created",
      payload: {
        task: {
          ...task,
          priority: null,
          goal: "",
          constraints: [],
          runnerMaxLoops: null,
          runnerWorkerKind: null,
          createdAt: at,
        },
      },
    },
  ];
  const stamp = { v: 1, id: "act", at, workspaceId: "none", by: "task", tx: "tx" } as const;
  const stamped = facts.map((fact, i): Fact => ({
    ...stamp,
    ...fact,
    by: "task",
    seq: i + 1,
    i,
    n: facts.length,
  }));
  const state = apply(emptyState, stamped);
  const [made, node] = [state.tasks.get(id), state.nodes.get(id)];
  if (!made || !node) throw new Error("a plan of one task has no task");
  return taskYaml(made, node, settings);
}
