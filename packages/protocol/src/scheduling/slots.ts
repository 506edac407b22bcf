import { find } from "../find.ts";
import type { PlanNode } from "../plan-node.ts";
import type { WorkspaceState } from "../state.ts";
import type { Task } from "../task.ts";
import type { Conditions } from "./conditions.ts";

type Room = Pick<Conditions, "total" | "limitedBy" | "pools" | "defaultAgent">;
type Agent = Room["pools"][number]["agents"][number];

/** Why there is no slot for a task. */
export type Lack =
  | {
      readonly why: "slots";
      readonly total: number;
      readonly limitedBy: Conditions["limitedBy"];
    }
  | { readonly why: "pool"; readonly poolId: string; readonly maxParallel: number }
  | { readonly why: "agents"; readonly poolId: string }
  | { readonly why: "capability"; readonly poolId: string; readonly wanted: readonly string[] };

/** Free slots, taken one by one while a scheduler decides. */
export interface Slots {
  readonly free: number;
  /** Takes a slot for the task and names the agent, or says what is lacking. */
  take(task: Task, node: PlanNode): { readonly agentId: string } | Lack;
}

export function freeSlots(state: WorkspaceState, room: Room): Slots {
  const inPool = new Map<string, number>();
  const byAgent = new Map<string, number>();
  let free = room.total;
  const occupy = (poolId: string, agentId: string) => {
    free -= 1;
    inPool.set(poolId, (inPool.get(poolId) ?? 0) + 1);
    byAgent.set(agentId, (byAgent.get(agentId) ?? 0) + 1);
  };
  for (const id of state.index.running) {
    const task = find(state.tasks, id);
    occupy(task.poolId, task.assignedAgent ?? room.defaultAgent);
  }
  const isFree = ({ agentId, maxParallel }: Agent) => (byAgent.get(agentId) ?? 0) < maxParallel;
  return {
    get free() {
      return free;
    },
    take(task, node) {
      const { poolId } = task;
      if (free <= 0) return { why: "slots", total: room.total, limitedBy: room.limitedBy };
      const pool = poolOf(room, poolId);
      if (pool?.maxParallel !== undefined && (inPool.get(poolId) ?? 0) >= pool.maxParallel)
        return { why: "pool", poolId, maxParallel: pool.maxParallel };
      const agents = pool?.agents ?? [];
      const wanted = wantedOf(task, node);
      const capable = agents.filter((agent) => isCapable(agent, wanted));
      if (agents.length > 0 && capable.length === 0) return { why: "capability", poolId, wanted };
      const agent = capable.find(isFree);
      if (agents.length > 0 && !agent) return { why: "agents", poolId };
      const agentId = agent?.agentId ?? room.defaultAgent;
      occupy(poolId, agentId);
      return { agentId };
    },
  };
}

/** A pool that nobody set up has the rules of `default`. */
const poolOf = ({ pools }: Room, poolId: string): Room["pools"][number] | undefined =>
  pools.find((pool) => pool.id === poolId) ?? pools.find((pool) => pool.id === "default");

const wantedOf = (task: Task, node: PlanNode): string[] =>
  [task.kind, node.suggestedImpl?.language ?? "", node.workType, ...node.tags].filter(Boolean);

/** An agent without capabilities takes anything; otherwise the kind, language, work type or a tag must be among them. */
const isCapable = ({ capabilities }: Agent, wanted: readonly string[]): boolean =>
  capabilities.length === 0 || wanted.some((word) => capabilities.includes(word));
