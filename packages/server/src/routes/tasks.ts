import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { patchToFacts } from "@multiverse/orchestrator/plan/patch-to-facts";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import { CreateTaskBody } from "@multiverse/protocol/http/requests";
import { Done, TaskList } from "@multiverse/protocol/http/responses";
import { TaskView } from "@multiverse/protocol/http/task-view";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { viewTask, viewTasks } from "@multiverse/protocol/task-view";
import { z } from "zod";
import { notFound } from "../http-error.ts";
import { largeJson } from "../large-json.ts";
import { listText } from "../socket/pieces.ts";
import type { OpenWorkspace } from "../workspaces.ts";
import { body, json, refused, TaskParams, WsParams, type Parts } from "./parts.ts";

const Empty = z.strictObject({}).default({});

type Shown = Pick<OpenWorkspace, "workspace" | "orchestrator">;

function viewOf({ workspace, orchestrator }: Shown, id: string, now: number): TaskView {
  const task = workspace.state.tasks.get(id);
  if (!task) throw notFound(`task ${id}`);
  return viewTask(workspace.state, task, now, orchestrator.conditions());
}

function* taskListText(seq: number, views: Iterable<TaskView>): Generator<Buffer> {
  yield Buffer.from(`{"seq":${seq},"tasks":`);
  yield* listText(views);
  yield Buffer.from("}");
}

export function taskRoutes(app: OpenAPIHono, { workspaces, clock }: Parts): void {
  const now = (): number => clock.now().getTime();
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/tasks",
      summary: "Every task in plan order",
      request: { params: WsParams },
      responses: { 200: json(TaskList), ...refused },
    }),
    async (c) => {
      const { workspace, orchestrator } = await workspaces.get(c.req.valid("param").ws);
      const views = viewTasks(workspace.state, now(), orchestrator.conditions());
      return largeJson(taskListText(workspace.state.seq, views));
    },
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/workspaces/{ws}/tasks/{id}",
      summary: "One task",
      request: { params: TaskParams },
      responses: { 200: json(TaskView), ...refused },
    }),
    async (c) => {
      const { ws, id } = c.req.valid("param");
      return c.json(viewOf(await workspaces.get(ws), id, now()), 200);
    },
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/workspaces/{ws}/tasks",
      summary: "Add a task to the plan",
      request: { params: WsParams, body: body(CreateTaskBody) },
      responses: { 201: json(TaskView, "The task."), ...refused },
    }),
    async (c) => {
      const open = await workspaces.get(c.req.valid("param").ws);
      const id = await createTask(open.workspace, c.req.valid("json"), clock.now().toISOString());
      return c.json(viewOf(open, id, now()), 201);
    },
  );
}

export function taskActionRoutes(app: OpenAPIHono, { workspaces }: Parts): void {
  for (const action of ["run", "cancel"] as const) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/workspaces/{ws}/tasks/{id}/${action}`,
        summary: action === "run" ? "Run this one task now" : "Cancel this task",
        request: { params: TaskParams, body: { ...body(Empty), required: false } },
        responses: { 200: json(Done), ...refused },
      }),
      async (c) => {
        const { ws, id } = c.req.valid("param");
        const { workspace, orchestrator } = await workspaces.get(ws);
        if (!workspace.state.tasks.has(id)) throw notFound(`task ${id}`);
        await (action === "run" ? orchestrator.runTask(id) : orchestrator.cancelTask(id));
        return c.json({ ok: true as const, seq: workspace.state.seq }, 200);
      },
    );
  }
}

/** A task by hand is a plan change of one operation; only the pool is no business of the planner's. */
async function createTask(
  workspace: Workspace,
  { poolId, ...task }: z.output<typeof CreateTaskBody>,
  at: string,
): Promise<string> {
  const { projectRoot } = workspace;
  const options = { text: "", by: "person", at, projectRoot, ...(poolId ? { poolId } : {}) };
  let id = "";
  await workspace.commit(
    (state) => {
      const patch = { operations: [createOperation(task)], potentialConflicts: [] };
      const { facts, created } = patchToFacts(state, patch, options);
      id = created[0] ?? "";
      return [...facts];
    },
    { by: "person" },
  );
  return id;
}

function createOperation(task: Omit<z.output<typeof CreateTaskBody>, "poolId">): PlanOperation {
  const { title, description, acceptanceCriteria, dependencies, phaseName, milestone } = task;
  return {
    op: "create",
    title,
    description,
    acceptanceCriteria,
    dependencies,
    phaseName,
    milestone,
  };
}
