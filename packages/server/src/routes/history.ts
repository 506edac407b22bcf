import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { FACT_KINDS, FactWire } from "@multiverse/protocol/fact";
import { factToWire } from "@multiverse/protocol/fact-wire";
import { RestoreBody } from "@multiverse/protocol/http/requests";
import { Done, SnapshotList } from "@multiverse/protocol/http/responses";
import { z } from "zod";
import { largeJson } from "../large-json.ts";
import { stateMessage } from "../socket/pieces.ts";
import { body, json, refused, TaskParams, WsParams, type Parts } from "./parts.ts";

const Seq = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const HistoryQuery = z.object({
  after: Seq.default(0),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  kind: z.enum(FACT_KINDS).optional(),
});
const HistoryPage = z.object({ seq: z.int(), facts: z.array(FactWire) });
const StateView = z.object({ seq: z.int(), state: z.unknown() });

export function historyRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/history",
      summary: "Facts after a seq, the oldest first",
      request: { params: WsParams, query: HistoryQuery },
      responses: { 200: json(HistoryPage), ...refused },
    }),
    async (c) => {
      const { workspace } = await workspaces.get(c.req.valid("param").ws);
      const { after, limit, kind } = c.req.valid("query");
      const facts = await workspace.readFacts({ after, limit, ...(kind ? { kind } : {}) });
      return c.json({ seq: workspace.state.seq, facts: facts.map(factToWire) }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/state",
      summary: "The whole state, now or as it was",
      request: { params: WsParams, query: z.object({ at: Seq.optional() }) },
      responses: { 200: json(StateView), ...refused },
    }),
    async (c) => {
      const { workspace } = await workspaces.get(c.req.valid("param").ws);
      const { at } = c.req.valid("query");
      const state = at === undefined ? workspace.state : await workspace.stateAt(at);
      return largeJson(stateMessage(state));
    },
  );
}

export function snapshotRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/snapshots",
      summary: "Snapshots, the newest first",
      request: { params: WsParams },
      responses: { 200: json(SnapshotList), ...refused },
    }),
    async (c) => {
      const { workspace } = await workspaces.get(c.req.valid("param").ws);
      return c.json({ snapshots: await workspace.listSnapshots() }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/snapshots",
      summary: "Take a snapshot now",
      request: { params: WsParams },
      responses: { 201: json(z.object({ id: z.string(), seq: z.int() })), ...refused },
    }),
    async (c) => {
      const { workspace } = await workspaces.get(c.req.valid("param").ws);
      const { id, seq } = await workspace.createSnapshot();
      return c.json({ id, seq }, 201);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/snapshots/{id}/restore",
      summary: "Go back to a snapshot; what came since stays in the history",
      request: { params: TaskParams, body: body(RestoreBody) },
      responses: { 200: json(Done), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const { workspace, orchestrator } = await workspaces.get(ws);
      await orchestrator.restoreSnapshot(id, c.req.valid("json").force);
      return c.json({ ok: true as const, seq: workspace.state.seq }, 200);
    },
  );
}
