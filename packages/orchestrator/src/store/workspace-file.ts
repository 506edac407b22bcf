import { join } from "node:path";
import { WorkspaceFile } from "@multiverse/protocol/design-files";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { isMissing, type FileSystem } from "./file-system.ts";
import { SCHEMA_VERSION, tooNew } from "./schema.ts";
import { replaceFile } from "./views/view-file.ts";

/** workspace.json, or null if it is missing or cannot be read: then it is written anew. */
export async function readWorkspaceFile(
  fs: FileSystem,
  dir: string,
): Promise<WorkspaceFile | null> {
  try {
    const text = (await fs.readFile(join(dir, "workspace.json"))).toString("utf8");
    return WorkspaceFile.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A workspace of a newer version is left as it is. */
export async function refuseNewer(fs: FileSystem, dir: string): Promise<void> {
  const version = (await readWorkspaceFile(fs, dir))?.schema_version ?? 0;
  if (version > SCHEMA_VERSION) throw tooNew(`workspace.json has schema version ${version}`);
}

export async function writeWorkspaceFile(
  fs: FileSystem,
  dir: string,
  state: WorkspaceState,
  openedAt: Date,
): Promise<void> {
  if (!state.workspace) return;
  const { id, name, projectRoot, createdAt } = state.workspace;
  const file: WorkspaceFile = {
    id,
    name,
    project_root: projectRoot,
    created_at: createdAt,
    last_opened_at: openedAt.toISOString(),
    schema_version: SCHEMA_VERSION,
  };
  await replaceFile(fs, join(dir, "workspace.json"), `${JSON.stringify(file, null, 2)}\n`);
}
