import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { OpenWorkspaceBody } from "@multiverse/protocol/http/requests";
import { Done, WorkspaceList, WorkspaceSummary } from "@multiverse/protocol/http/responses";
import { body, json, refused, WsParams, type Parts } from "./parts.ts";

export function workspaceRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces",
      summary: "Recent workspaces, the last opened first",
      responses: { 200: json(WorkspaceList), ...refused },
    }),
    async (c) => c.json({ workspaces: await workspaces.list() }, 200),
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces",
      summary: "Open the workspace of a folder",
      request: { body: body(OpenWorkspaceBody) },
      responses: { 200: json(WorkspaceSummary), ...refused },
    }),
    async (c) => {
      const { workspace } = await workspaces.openFolder(c.req.valid("json").path);
      return c.json(await workspaces.summary(workspace.id), 200);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}",
      summary: "Open a workspace of the recent list",
      request: { params: WsParams },
      responses: { 200: json(WorkspaceSummary), ...refused },
    }),
    async (c) => {
      const { workspace } = await workspaces.get(c.req.valid("param").ws);
      return c.json(await workspaces.summary(workspace.id), 200);
    },
  );
  app.openapi(
    createRoute({
      method: "delete",
      path: "/workspaces/{ws}",
      summary: "Take a workspace off the list; nothing is deleted",
      request: { params: WsParams },
      responses: { 200: json(Done), ...refused },
    }),
    async (c) => {
      await workspaces.forget(c.req.valid("param").ws);
      return c.json({ ok: true as const }, 200);
    },
  );
}
