import type { Capacity } from "@multiverse/orchestrator/execute/capacity";
import type { Orchestrator } from "@multiverse/orchestrator/orchestrator";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import { workspaceIdOf } from "@multiverse/orchestrator/store/workspace-id";
import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkspaceSummary } from "@multiverse/protocol/http/responses";
import type { Home } from "./home.ts";
import { projectFolder } from "./project-folder.ts";
import { createRecords, type WorkspaceRecord } from "./workspace-records.ts";
import type { Feed } from "./socket/feed.ts";

/** One workspace in use: its truth, what can be asked of it, and its live stream. */
export interface OpenWorkspace {
  readonly workspace: Workspace;
  readonly orchestrator: Orchestrator;
  readonly feed: Feed;
  readonly capacity: Capacity;
  /** The process of an attempt that runs on this machine. */
  readonly pidOf: (attemptId: string) => number | null;
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

export function createWorkspaces(
  home: Home,
  openOne: (projectRoot: string) => Promise<OpenWorkspace>,
): Workspaces {
  const open = new Map<string, Promise<OpenWorkspace>>();
  const ready = new Map<string, OpenWorkspace>();
  let closing = false;
  const records = createRecords(home);

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

  const summary = async (id: string): Promise<WorkspaceSummary> =>
    summaryOf(id, await records.read(id), ready.get(id));

  return {
    async openFolder(path) {
      const projectRoot = await projectFolder(path, home);
      const id = workspaceIdOf(projectRoot);
      const one = await openRoot(projectRoot);
      await one.workspace.flush(); // the list reads workspace.json, which a new workspace may not have yet
      await records.remember(id);
      return one;
    },
    async get(id) {
      return open.get(id) ?? openRoot((await records.read(id)).projectRoot);
    },
    async list() {
      const ids = await records.ids();
      const found = await Promise.all(ids.map((id) => summary(id).catch(() => null)));
      return found
        .filter((one) => one !== null)
        .sort((a, b) => b.lastOpenedAt.localeCompare(a.lastOpenedAt));
    },
    summary,
    async forget(id) {
      await records.forget(id);
      const one = await open.get(id);
      open.delete(id);
      ready.delete(id);
      await one?.close({ detach: false });
    },
    opened: () => [...ready.values()],
    async close(options) {
      closing = true;
      await Promise.allSettled(open.values());
      await Promise.all([...ready.values()].map((one) => one.close(options)));
    },
  };
}

function summaryOf(
  id: string,
  record: WorkspaceRecord,
  open: OpenWorkspace | undefined,
): WorkspaceSummary {
  const damage = open?.workspace.damage ?? null;
  return {
    id,
    ...record,
    open: open !== undefined,
    damage: damage && `${damage.file}, byte ${damage.offset}: ${damage.problem}`,
  };
}

const stopping = (): MultiverseError =>
  new MultiverseError("CONFLICT", "the server is stopping", { hint: "Start it again." });
