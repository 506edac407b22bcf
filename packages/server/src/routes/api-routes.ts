import type { OpenAPIHono } from "@hono/zod-openapi";
import { artifactRoutes } from "./artifacts.ts";
import { attemptRoutes } from "./attempts.ts";
import { backlogRoutes } from "./backlog.ts";
import { chatRoutes } from "./chat.ts";
import { executionRoutes } from "./execution.ts";
import { historyRoutes, snapshotRoutes } from "./history.ts";
import { planRoutes } from "./plan.ts";
import { poolRoutes } from "./pools.ts";
import { generalRoutes, llmRoutes, toolingRoutes } from "./settings.ts";
import { systemRoutes } from "./system.ts";
import { taskActionRoutes, taskRoutes } from "./tasks.ts";
import { toolRoutes } from "./tools.ts";
import { workspaceRoutes } from "./workspaces.ts";
import { tokenRoutes } from "./login.ts";
import type { Parts } from "./parts.ts";

/** Every concept has a file; this is the list of them. */
const CONCEPTS: readonly ((app: OpenAPIHono, parts: Parts) => void)[] = [
  workspaceRoutes,
  taskRoutes,
  taskActionRoutes,
  attemptRoutes,
  artifactRoutes,
  poolRoutes,
  chatRoutes,
  executionRoutes,
  backlogRoutes,
  planRoutes,
  historyRoutes,
  snapshotRoutes,
  llmRoutes,
  toolingRoutes,
  generalRoutes,
  toolRoutes,
  systemRoutes,
  tokenRoutes,
];

export function addApiRoutes(app: OpenAPIHono, parts: Parts): void {
  for (const add of CONCEPTS) add(app, parts);
}
