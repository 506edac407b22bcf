import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { Capacity } from "@multiverse/orchestrator/execute/capacity";
import { find } from "@multiverse/protocol/find";
import { PoolList, ProcessList } from "@multiverse/protocol/http/responses";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { z } from "zod";
import { json, refused, WsParams, type Parts } from "./parts.ts";

export function poolRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/pools",
      summary:
        "Pools with their slots, what runs in them and what waits, and what else decides what starts",
      request: { params: WsParams },
      responses: { 200: json(PoolList), ...refused },
    }),
    async (c) => {
      const { workspace, orchestrator, capacity } = await workspaces.get(c.req.valid("param").ws);
      const conditions = orchestrator.conditions();
      return c.json({ pools: poolViews(workspace.state, capacity), conditions }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/processes",
      summary: "What runs right now",
      request: { params: WsParams },
      responses: { 200: json(ProcessList), ...refused },
    }),
    async (c) => {
      const { orchestrator, pidOf } = await workspaces.get(c.req.valid("param").ws);
      const processes = orchestrator
        .processes()
        .map((one) => ({ ...one, pid: pidOf(one.attemptId) }));
      return c.json({ processes }, 200);
    },
  );
}

function poolViews(state: WorkspaceState, capacity: Capacity): z.output<typeof PoolList>["pools"] {
  const running = countByPool(state, state.index.running);
  const queued = countByPool(state, state.index.runnable);
  return capacity.pools.map(({ id, name, description, maxParallel }) => ({
    id,
    name,
    description,
    maxParallel: Math.min(maxParallel ?? capacity.total, capacity.total),
    running: running.get(id) ?? 0,
    queued: queued.get(id) ?? 0,
  }));
}

function countByPool(state: WorkspaceState, ids: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const { poolId } = find(state.tasks, id);
    counts.set(poolId, (counts.get(poolId) ?? 0) + 1);
  }
  return counts;
}
