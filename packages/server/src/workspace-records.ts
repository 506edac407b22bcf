import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Home } from "./home.ts";
import { notFound } from "./http-error.ts";
import { parseJson } from "./json-text.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

export interface WorkspaceRecord {
  readonly name: string;
  readonly projectRoot: string;
  readonly lastOpenedAt: string;
}

/** The list of recent workspaces: what is on the disk, without those that someone took off the list. */
export interface WorkspaceRecords {
  /** NOT_FOUND if it is not in the list. */
  read(id: string): Promise<WorkspaceRecord>;
  ids(): Promise<string[]>;
  forget(id: string): Promise<void>;
  remember(id: string): Promise<void>;
}

/** What stands in workspace.json, as far as the list needs it. */
const WorkspaceFile = z.looseObject({
  name: z.string(),
  project_root: z.string(),
  last_opened_at: z.string(),
});
const Forgotten = z.object({ forgotten: z.array(z.string()) });

export function createRecords(home: Home): WorkspaceRecords {
  const forgottenFile = join(home.config, "forgotten.json");

  async function forgotten(): Promise<string[]> {
    const text = await readPrivateFile(forgottenFile);
    const parsed = Forgotten.safeParse(text === null ? null : parseJson(text));
    return parsed.success ? parsed.data.forgotten : [];
  }
  const write = (ids: string[]): Promise<void> =>
    writePrivateFile(forgottenFile, `${JSON.stringify({ forgotten: ids })}\n`);

  async function read(id: string): Promise<WorkspaceRecord> {
    const text = (await forgotten()).includes(id)
      ? null
      : await readPrivateFile(join(home.workspaces, id, "workspace.json"));
    const parsed = WorkspaceFile.safeParse(text === null ? null : parseJson(text));
    if (!parsed.success) throw notFound(`workspace ${id}`);
    const { name, project_root: projectRoot, last_opened_at: lastOpenedAt } = parsed.data;
    return { name, projectRoot, lastOpenedAt };
  }

  return {
    read,
    ids: async () => (await readdir(home.workspaces)).filter((name) => /^[0-9a-f]{12}$/.test(name)),
    async forget(id) {
      await read(id);
      await write([...(await forgotten()), id]);
    },
    async remember(id) {
      const ids = await forgotten();
      if (ids.includes(id)) await write(ids.filter((other) => other !== id));
    },
  };
}
