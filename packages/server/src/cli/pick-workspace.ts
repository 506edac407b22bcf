import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { workspaceIdOf } from "@multiverse/orchestrator/store/workspace-id";
import { MultiverseError } from "@multiverse/protocol/error";
import { WorkspaceList, type WorkspaceSummary } from "@multiverse/protocol/http/responses";
import type { Client } from "../client.ts";
import type { CliContext } from "./context.ts";

export interface WorkspaceFlags {
  readonly project?: string;
  readonly workspace?: string;
}

/** The workspace a command is about: the one named, else this folder's, else the one opened last. */
export async function pickWorkspace(
  { cwd }: CliContext,
  client: Client,
  { project, workspace }: WorkspaceFlags,
): Promise<WorkspaceSummary> {
  const { workspaces } = await client.get("/workspaces", WorkspaceList);
  const folder = await realpath(resolve(cwd, project ?? ".")).catch(() => "");
  const here = workspaces.find(({ id }) => id === (workspace ?? workspaceIdOf(folder)));
  const isNamed = workspace !== undefined || project !== undefined;
  const found = here ?? (isNamed ? undefined : workspaces[0]);
  if (found) return found;
  throw new MultiverseError("NOT_FOUND", `there is no workspace ${workspace ?? folder}`, {
    hint: "Open the folder first: `multiverse PROJECT_DIR`.",
  });
}
