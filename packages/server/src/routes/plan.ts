import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { toCamel } from "@multiverse/protocol/case";
import { PlanBody } from "@multiverse/protocol/http/requests";
import { PlanUndone } from "@multiverse/protocol/http/responses";
import { z } from "zod";
import { body, json, refused, WsParams, type Parts } from "./parts.ts";

const PlanChanged = z.object({ ok: z.literal(true), seq: z.int(), created: z.array(z.string()) });

export function planRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/plan",
      summary: "Change the plan by hand, with the planner's own operations and refusals",
      request: { params: WsParams, body: body(PlanBody) },
      responses: { 200: json(PlanChanged), ...refused },
    }),
    async (c) => {
      const { workspace, orchestrator } = await workspaces.get(c.req.valid("param").ws);
      const { created } = await orchestrator.changePlan(toCamel(c.req.valid("json").operations));
      return c.json({ ok: true as const, seq: workspace.state.seq, created }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/plan/undo",
      summary: "Take back the last change of the plan",
      request: { params: WsParams },
      responses: { 200: json(PlanUndone), ...refused },
    }),
    async (c) => {
      const { workspace, orchestrator } = await workspaces.get(c.req.valid("param").ws);
      const change = await orchestrator.undoLastChange();
      return c.json({ ok: true as const, seq: workspace.state.seq, change }, 200);
    },
  );
}
