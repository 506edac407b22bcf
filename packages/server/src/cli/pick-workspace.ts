import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { workspaceIdOf } from "@multiverse/orchestrator/store/workspace-id";
import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkspaceSummary } from "@multiverse/protocol/http/responses";
import type { Client } from "../client.ts";
import type { CliContext } from "./context.ts";

export interface WorkspaceFlags {
  readonly project?: string;
  readonly workspace?: string;
}

/** The workspace a command is about: the one named, else this folder's, else the one opened last. */
export async function pickWorkspace(
  { cwd, terminal }: CliContext,
  client: Client,
  { project, workspace }: WorkspaceFlags,
): Promise<WorkspaceSummary> {
  const { workspaces } = await client.api.workspaces();
  const folder = resolve(cwd, project ?? ".");
  const real = await realpath(folder).catch(() => folder);
  const here = workspaces.find(({ id }) => id === (workspace ?? workspaceIdOf(real)));
  if (here) return here;
  const [last, ...others] = workspaces;
  if (!last || workspace !== undefined || project !== undefined)
    throw new MultiverseError("NOT_FOUND", `there is no workspace ${workspace ?? folder}`, {
      hint: "Open the folder first: `multiverse PROJECT_DIR`.",
    });
  if (others.length > 0)
    terminal.err(`${last.projectRoot} is the one opened last; --project names another\n`);
  return last;
}
