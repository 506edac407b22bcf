import { availableParallelism, freemem } from "node:os";
import { join } from "node:path";
import type { Logger } from "@multiverse/agents/log";
import {
  defaultPools,
  defaultTotal,
  type Capacity,
} from "@multiverse/orchestrator/execute/capacity";
import type { AgentSlot } from "@multiverse/orchestrator/store/workspace";
import { toCamel } from "@multiverse/protocol/case";
import type { Settings } from "@multiverse/protocol/settings";
import { WorkerPools } from "@multiverse/protocol/worker-pools";
import { readSmall } from "./files/read-beneath.ts";
import { parseJson } from "./json-text.ts";

/** How much may run at once; asked again every time, since free memory changes. */
export async function readCapacity(
  dir: string,
  settings: () => Settings,
  log: Logger,
): Promise<() => Capacity> {
  const pools = await poolsOf(dir, log);
  return () => {
    const { maxParallel } = settings();
    const room =
      maxParallel === undefined
        ? defaultTotal(availableParallelism(), freemem())
        : { total: maxParallel, limitedBy: "setting" as const };
    return { ...room, pools, defaultAgent: "local" };
  };
}

/** worker-pools.json, written by people; without one, or with one that cannot be understood, the usual pools. */
async function poolsOf(dir: string, log: Logger): Promise<Capacity["pools"]> {
  const text = await readSmall(dir, "worker-pools.json");
  if (text === null) return defaultPools;
  const parsed = WorkerPools.safeParse(parseJson(text));
  if (parsed.success) return toCamel(parsed.data).pools;
  log.warn("worker-pools.json cannot be understood; the usual pools are used", {
    file: join(dir, "worker-pools.json"),
    problem: parsed.error.issues[0]?.message,
  });
  return defaultPools;
}

/** The slots as `state/agents.json` lists them: those that people named, and the one for everything else. */
export function agentSlots({ total, pools, defaultAgent }: Capacity): AgentSlot[] {
  const named = pools.flatMap(({ agents }) =>
    agents.map(({ agentId, kind, maxParallel, capabilities }) => ({
      agent_id: agentId,
      kind,
      max_parallel: maxParallel,
      capabilities,
    })),
  );
  const rest = { agent_id: defaultAgent, kind: "code", max_parallel: total, capabilities: [] };
  return [...named, rest];
}
