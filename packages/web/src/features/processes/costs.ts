import type { WorkspaceState } from "@multiverse/protocol/state";
import { addUsage, noUsage, type Usage } from "@multiverse/protocol/usage";

export interface TaskCost {
  readonly taskId: string;
  readonly usage: Usage;
}

/** What the plan cost so far: in all, and the dearest tasks first. */
export function costs(state: WorkspaceState): { total: Usage; tasks: TaskCost[] } {
  let total = noUsage;
  const tasks: TaskCost[] = [];
  for (const { id, usage } of state.tasks.values()) {
    if (usage.inputTokens + usage.outputTokens === 0 && usage.usd === null) continue;
    total = addUsage(total, usage);
    tasks.push({ taskId: id, usage });
  }
  const weight = ({ usage }: TaskCost) =>
    (usage.usd ?? 0) * 1e9 + usage.inputTokens + usage.outputTokens;
  return { total, tasks: tasks.sort((a, b) => weight(b) - weight(a)) };
}
