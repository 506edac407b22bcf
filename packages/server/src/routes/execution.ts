import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { ExecutionBody } from "@multiverse/protocol/http/requests";
import { ExecutionView } from "@multiverse/protocol/http/responses";
import { body, json, refused, WsParams, type Parts } from "./parts.ts";

export function executionRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/execution",
      summary: "Whether tasks are started",
      request: { params: WsParams },
      responses: { 200: json(ExecutionView), ...refused },
    }),
    async (c) =>
      c.json((await workspaces.get(c.req.valid("param").ws)).workspace.state.execution, 200),
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/execution",
      summary: "Start, pause, resume or stop",
      request: { params: WsParams, body: body(ExecutionBody) },
      responses: { 200: json(ExecutionView), ...refused },
    }),
    async (c) => {
      const { workspace, orchestrator } = await workspaces.get(c.req.valid("param").ws);
      await orchestrator.setExecution(c.req.valid("json").action);
      return c.json(workspace.state.execution, 200);
    },
  );
}
