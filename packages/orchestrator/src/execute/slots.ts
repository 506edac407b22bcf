import { find } from "@multiverse/protocol/find";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import { DEFAULT_POOLS, type WorkerPool } from "@multiverse/protocol/worker-pools";

/** What may run at the same time: in all, per pool, and per agent of a pool. */
export interface Capacity {
  readonly total: number;
  readonly pools: readonly WorkerPool[];
  /** The agent that works where a pool names none. */
  readonly defaultAgent: string;
}

export const defaultPools: readonly WorkerPool[] = DEFAULT_POOLS.map((pool) => ({
  ...pool,
  description: "",
  agents: [],
}));

/** As many as cores and memory carry, at least 1, at most 8. */
export const defaultTotal = (cores: number, freeMemoryBytes: number): number =>
  Math.max(1, Math.min(8, cores, Math.floor(freeMemoryBytes / (2 * 1_073_741_824))));

/** Free slots, taken one by one while a scheduler decides. */
export interface Slots {
  readonly free: number;
  /** Takes a slot for the task and names the agent, or null if none fits. */
  take(task: Task, node: PlanNode): string | null;
}

export function freeSlots(state: WorkspaceState, capacity: Capacity): Slots {
  const inPool = new Map<string, number>();
  const byAgent = new Map<string, number>();
  let free = capacity.total;
  const occupy = (poolId: string, agentId: string) => {
    free -= 1;
    inPool.set(poolId, (inPool.get(poolId) ?? 0) + 1);
    byAgent.set(agentId, (byAgent.get(agentId) ?? 0) + 1);
  };
  for (const id of state.index.running) {
    const task = find(state.tasks, id);
    occupy(task.poolId, task.assignedAgent ?? capacity.defaultAgent);
  }
  return {
    get free() {
      return free;
    },
    take(task, node) {
      if (free <= 0) return null;
      const pool =
        capacity.pools.find((p) => p.id === task.poolId) ??
        capacity.pools.find((p) => p.id === "default");
      if (pool?.maxParallel !== undefined && (inPool.get(task.poolId) ?? 0) >= pool.maxParallel)
        return null;
      const agents = pool?.agents ?? [];
      const agent = agents.find(
        (a) =>
          (byAgent.get(a.agentId) ?? 0) < a.maxParallel && isCapable(a.capabilities, task, node),
      );
      if (agents.length > 0 && !agent) return null;
      const agentId = agent?.agentId ?? capacity.defaultAgent;
      occupy(task.poolId, agentId);
      return agentId;
    },
  };
}

/** An agent without capabilities takes anything; otherwise the kind, language, work type or a tag must be among them. */
function isCapable(capabilities: readonly string[], task: Task, node: PlanNode): boolean {
  if (capabilities.length === 0) return true;
  const wanted = [task.kind, node.suggestedImpl?.language, node.workType, ...node.tags];
  return wanted.some((word) => word && capabilities.includes(word));
}
