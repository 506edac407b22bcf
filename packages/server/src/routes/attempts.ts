import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { Attempt } from "@multiverse/protocol/attempt";
import { find } from "@multiverse/protocol/find";
import { AttemptFile } from "@multiverse/protocol/entity-files";
import { AttemptList, AttemptLog } from "@multiverse/protocol/http/responses";
import { AttemptView } from "@multiverse/protocol/http/task-view";
import { z } from "zod";
import { readPart, readSmall } from "../files/read-beneath.ts";
import { notFound } from "../http-error.ts";
import { parseJson } from "../json-text.ts";
import { json, refused, TaskParams, type Parts } from "./parts.ts";

const ByteQuery = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
});

function viewAttempt(attempt: Attempt): AttemptView {
  const { epoch: _, poolId: _pool, agentId: _agent, traceId: _trace, ...view } = attempt;
  return view;
}

export function attemptRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/tasks/{id}/attempts",
      summary: "The attempts of a task, the first one first",
      request: { params: TaskParams },
      responses: { 200: json(AttemptList), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const { state } = (await workspaces.get(ws)).workspace;
      if (!state.tasks.has(id)) throw notFound(`task ${id}`);
      const attempts = [...(state.index.attemptsOf.get(id) ?? [])]
        .map((attemptId) => find(state.attempts, attemptId))
        .sort((a, b) => a.startedAt.localeCompare(b.startedAt))
        .map(viewAttempt);
      return c.json({ attempts }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/attempts/{id}",
      summary: "One attempt with the result its runner wrote",
      request: { params: TaskParams },
      responses: { 200: json(AttemptView), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const { workspace } = await workspaces.get(ws);
      const attempt = workspace.state.attempts.get(id);
      if (!attempt) throw notFound(`attempt ${id}`);
      const text = await readSmall(workspace.dir, `attempts/${id}.json`);
      const file = AttemptFile.safeParse(text === null ? null : parseJson(text));
      const result = file.success ? { result: file.data.result } : {};
      return c.json({ ...viewAttempt(attempt), ...result }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/attempts/{id}/log",
      summary: "The worker's output from a byte on",
      request: { params: TaskParams, query: ByteQuery },
      responses: { 200: json(AttemptLog), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const { workspace } = await workspaces.get(ws);
      if (!workspace.state.attempts.has(id)) throw notFound(`attempt ${id}`);
      const { after } = c.req.valid("query");
      return c.json(await readPart(workspace.dir, `logs/attempts/${id}.log`, after), 200);
    },
  );
}
