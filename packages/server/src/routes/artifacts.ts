import { isAbsolute, join, relative } from "node:path";
import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { Changes, Note } from "@multiverse/protocol/http/responses";
import type { Task } from "@multiverse/protocol/task";
import { changesOf } from "../files/changes.ts";
import { readSmall } from "../files/read-beneath.ts";
import { notFound } from "../http-error.ts";
import type { OpenWorkspace } from "../workspaces.ts";
import { json, refused, TaskParams, type Parts } from "./parts.ts";

function taskOf({ workspace }: OpenWorkspace, id: string): Task {
  const task = workspace.state.tasks.get(id);
  if (!task) throw notFound(`task ${id}`);
  return task;
}

export function artifactRoutes(app: OpenAPIHono, { workspaces, path }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/tasks/{id}/note",
      summary: "The task's note, as Markdown",
      request: { params: TaskParams },
      responses: { 200: json(Note), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const open = await workspaces.get(ws);
      const root = open.workspace.projectRoot;
      const named = taskOf(open, id).outcome?.note;
      if (!named) throw notFound(`note of task ${id} yet`);
      const note = isAbsolute(named) ? relative(root, named) : named;
      const markdown = await readSmall(root, note);
      if (markdown === null) throw notFound(`readable note of task ${id}`);
      return c.json({ path: note, markdown }, 200);
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/tasks/{id}/changes",
      summary: "The files of a task with their differences to the last commit",
      request: { params: TaskParams },
      responses: { 200: json(Changes), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      const open = await workspaces.get(ws);
      const { projectRoot, dir } = open.workspace;
      const task = taskOf(open, id);
      const files = task.outcome?.files ?? open.workspace.state.runtimes.get(task.nodeId)?.files;
      const scratch = join(dir, "git");
      return c.json(await changesOf(files ?? [], { projectRoot, scratch, path }), 200);
    },
  );
}
