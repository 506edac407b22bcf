import { mkdir, readdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { Capacity } from "@multiverse/orchestrator/execute/slots";
import type { Orchestrator } from "@multiverse/orchestrator/orchestrator";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import { workspaceIdOf } from "@multiverse/orchestrator/store/workspace-id";
import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkspaceSummary } from "@multiverse/protocol/http/responses";
import { z } from "zod";
import type { Home } from "./home.ts";
import { notFound } from "./http-error.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";
import { parseJson } from "./json-text.ts";
import type { Feed } from "./socket/feed.ts";

/** One workspace in use: its truth, what can be asked of it, and its live stream. */
export interface OpenWorkspace {
  readonly workspace: Workspace;
  readonly orchestrator: Orchestrator;
  readonly feed: Feed;
  readonly capacity: Capacity;
  /** The process of an attempt that runs on this machine. */
  pidOf(attemptId: string): number | null;
  close(options: { detach: boolean }): Promise<void>;
}

/** The workspaces of a user, several of them open at once. */
export interface Workspaces {
  /** Opens the workspace of a folder, making both if need be. */
  openFolder(path: string): Promise<OpenWorkspace>;
  /** A workspace of the recent list, opened if it is not; NOT_FOUND if it is not in the list. */
  get(id: string): Promise<OpenWorkspace>;
  list(): Promise<WorkspaceSummary[]>;
  summary(id: string): Promise<WorkspaceSummary>;
  /** Takes it off the list; nothing is deleted. */
  forget(id: string): Promise<void>;
  opened(): readonly OpenWorkspace[];
  close(options: { detach: boolean }): Promise<void>;
}

/** What stands in workspace.json, as far as the list needs it. */
const WorkspaceFile = z.looseObject({
  name: z.string(),
  project_root: z.string(),
  last_opened_at: z.string(),
});
const Forgotten = z.object({ forgotten: z.array(z.string()) });

export function createWorkspaces(
  home: Home,
  openOne: (projectRoot: string) => Promise<OpenWorkspace>,
): Workspaces {
  const open = new Map<string, Promise<OpenWorkspace>>();
  const ready = new Map<string, OpenWorkspace>();
  let closing = false;
  const forgottenFile = join(home.config, "forgotten.json");

  async function forgotten(): Promise<string[]> {
    const text = await readPrivateFile(forgottenFile);
    const parsed = Forgotten.safeParse(text === null ? null : parseJson(text));
    return parsed.success ? parsed.data.forgotten : [];
  }
  const writeForgotten = (ids: string[]): Promise<void> =>
    writePrivateFile(forgottenFile, `${JSON.stringify({ forgotten: ids })}\n`);

  function openRoot(projectRoot: string): Promise<OpenWorkspace> {
    if (closing) throw stopping();
    const id = workspaceIdOf(projectRoot);
    const known = open.get(id);
    if (known) return known;
    const opening = openOne(projectRoot).then((one) => {
      ready.set(id, one);
      return one;
    });
    open.set(id, opening);
    opening.catch(() => open.delete(id));
    return opening;
  }

  async function recorded(id: string): Promise<z.output<typeof WorkspaceFile>> {
    const text = (await forgotten()).includes(id)
      ? null
      : await readPrivateFile(join(home.workspaces, id, "workspace.json"));
    const parsed = WorkspaceFile.safeParse(text === null ? null : parseJson(text));
    if (!parsed.success) throw notFound(`workspace ${id}`);
    return parsed.data;
  }

  async function summary(id: string): Promise<WorkspaceSummary> {
    const { name, project_root: projectRoot, last_opened_at: lastOpenedAt } = await recorded(id);
    const damage = ready.get(id)?.workspace.damage ?? null;
    return {
      id,
      name,
      projectRoot,
      open: ready.has(id),
      lastOpenedAt,
      damage: damage && `${damage.file}, byte ${damage.offset}: ${damage.problem}`,
    };
  }

  return {
    async openFolder(path) {
      const projectRoot = await projectFolder(path, home);
      const id = workspaceIdOf(projectRoot);
      const one = await openRoot(projectRoot);
      const ids = await forgotten();
      if (ids.includes(id)) await writeForgotten(ids.filter((other) => other !== id));
      return one;
    },
    async get(id) {
      const { project_root: projectRoot } = await recorded(id);
      return open.get(id) ?? openRoot(projectRoot);
    },
    async list() {
      const ids = (await readdir(home.workspaces)).filter((name) => /^[0-9a-f]{12}$/.test(name));
      const found = await Promise.all(ids.map((id) => summary(id).catch(() => null)));
      return found
        .filter((one) => one !== null)
        .sort((a, b) => b.lastOpenedAt.localeCompare(a.lastOpenedAt));
    },
    summary,
    async forget(id) {
      await recorded(id);
      await writeForgotten([...(await forgotten()), id]);
      const one = await open.get(id);
      open.delete(id);
      ready.delete(id);
      await one?.close({ detach: false });
    },
    opened: () => [...ready.values()],
    async close(options) {
      closing = true;
      await Promise.allSettled([...open.values()]);
      await Promise.all([...ready.values()].map((one) => one.close(options)));
    },
  };
}

/** The real path of a project folder. A folder that is not there yet is made, its parent must exist. */
async function projectFolder(path: string, home: Home): Promise<string> {
  if (!isAbsolute(path) || path.includes("\0"))
    throw new MultiverseError("INVALID_INPUT", "the path must be absolute", {
      hint: "Give the whole path of the project folder, such as /home/me/project.",
    });
  const wanted = resolve(path);
  try {
    await mkdir(wanted).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    });
    const real = await realpath(wanted);
    if (!(await stat(real)).isDirectory()) throw new Error(`${basename(wanted)} is not a folder`);
    refuseUnfit(real, await realpath(home.root));
    return real;
  } catch (error) {
    if (error instanceof MultiverseError) throw error;
    throw new MultiverseError("INVALID_INPUT", `${wanted} cannot be used as a project folder`, {
      hint: "Choose a folder that exists, or a new name in one, and that you may write to.",
      cause: error,
    });
  }
}

/** Agents write in the project: it must not be the whole disk or the place where our own truth is kept. */
function refuseUnfit(real: string, home: string): void {
  const isAbove = (a: string, b: string): boolean =>
    a === b || b.startsWith(`${a === "/" ? "" : a}/`);
  if (real !== "/" && real !== home && !isAbove(home, real)) return;
  throw new MultiverseError("INVALID_INPUT", `${real} cannot be a project folder`, {
    hint: "Choose a folder of its own for the project.",
  });
}

const stopping = (): MultiverseError =>
  new MultiverseError("CONFLICT", "the server is stopping", { hint: "Start it again." });
