import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { ValidateToolBody } from "@multiverse/protocol/http/requests";
import { ModelList, ToolList, ValidationAnswer } from "@multiverse/protocol/http/responses";
import { Id } from "@multiverse/protocol/id";
import { z } from "zod";
import { body, json, refused, type Parts } from "./parts.ts";

export function toolRoutes(app: OpenAPIHono, { tools }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/tools",
      summary: "The tools there are, and whether each can be used here",
      responses: { 200: json(ToolList), ...refused },
    }),
    async (c) => c.json({ tools: await tools.list() }, 200),
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/tools/{id}/models",
      summary: "Models of a tool that are known",
      request: { params: z.object({ id: Id }) },
      responses: { 200: json(ModelList), ...refused },
    }),
    (c) => c.json({ models: tools.models(c.req.valid("param").id) }, 200),
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/tools/validate",
      summary: "Whether a tool and a model fit together",
      request: { body: body(ValidateToolBody) },
      responses: { 200: json(ValidationAnswer), ...refused },
    }),
    (c) => {
      const { tool, model } = c.req.valid("json");
      return c.json(tools.validate(tool, model), 200);
    },
  );
}
