import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { BacklogItem } from "@multiverse/protocol/backlog";
import { ResolveBody } from "@multiverse/protocol/http/requests";
import { BacklogList, Done } from "@multiverse/protocol/http/responses";
import { z } from "zod";
import { notFound } from "../http-error.ts";
import { body, json, refused, TaskParams, WsParams, type Parts } from "./parts.ts";

const AllQuery = z.object({ all: z.enum(["true", "false", "1", "0", ""]).optional() });

/** The most urgent first, the oldest of these first. */
const byUrgency = (a: BacklogItem, b: BacklogItem): number =>
  b.priority - a.priority || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

export function backlogRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/backlog",
      summary: "What waits for a person; with all=true also what was resolved",
      request: { params: WsParams, query: AllQuery },
      responses: { 200: json(BacklogList), ...refused },
    }),
    async (c) => {
      const { state } = (await workspaces.get(c.req.valid("param").ws)).workspace;
      const { all } = c.req.valid("query");
      const everything = all === "true" || all === "1";
      const items = [...state.backlog.values()]
        .filter((item) => everything || item.resolvedAt === null)
        .sort(byUrgency);
      return c.json({ items }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/backlog/{id}/resolve",
      summary: "Answer a question, or decide about a failure",
      request: { params: TaskParams, body: body(ResolveBody) },
      responses: { 200: json(Done), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const { resolution, choice } = c.req.valid("json");
      const { workspace, orchestrator } = await workspaces.get(ws);
      if (!workspace.state.backlog.has(id)) throw notFound(`backlog item ${id}`);
      await orchestrator.resolveBacklog(id, resolution, choice);
      return c.json({ ok: true as const, seq: workspace.state.seq }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "delete",
      path: "/workspaces/{ws}/backlog/{id}",
      summary: "Delete a backlog item",
      request: { params: TaskParams },
      responses: { 200: json(Done), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const { workspace, orchestrator } = await workspaces.get(ws);
      if (!workspace.state.backlog.has(id)) throw notFound(`backlog item ${id}`);
      await orchestrator.deleteBacklog(id);
      return c.json({ ok: true as const, seq: workspace.state.seq }, 200);
    },
  );
}
