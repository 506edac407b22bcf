import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { NewFact } from "@multiverse/protocol/fact";
import { durably } from "./durable-file.ts";
import { nodeFileSystem } from "./node-file-system.ts";
import type { FileSystem } from "./file-system.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { mendTail, unrecordedRepair } from "./mend-tail.ts";
import { OpenedWorkspace } from "./opened-workspace.ts";
import { recover, type Recovered } from "./recover.ts";
import { refuseNewer } from "./workspace-file.ts";
import { workspaceIdOf } from "./workspace-id.ts";
import type { OpenOptions, Workspace } from "./workspace.ts";

const FOLDERS = [
  "history",
  "snapshots",
  "design/nodes",
  "state",
  "tasks",
  "attempts",
  "backlog",
  "chat",
  "logs/attempts",
];

/** Opens a project's workspace, makes it if there is none, and mends what a crash left behind. */
export async function openWorkspace(options: OpenOptions): Promise<Workspace> {
  const fs = options.fs ?? nodeFileSystem;
  const projectRoot = options.fs ? options.projectRoot : await realpath(options.projectRoot);
  const id = workspaceIdOf(projectRoot);
  const dir = join(options.home, "workspaces", id);
  await fs.makeFolder(dir);
  const lock = await (options.acquireLock ?? acquireLock)(dir, options.url ?? null);
  try {
    await refuseNewer(fs, dir);
    return await openLocked({ ...options, fs }, { id, dir, projectRoot, lock });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Place {
  readonly id: string;
  readonly dir: string;
  readonly projectRoot: string;
  readonly lock: Lock;
}

async function openLocked(
  options: OpenOptions & { fs: FileSystem },
  place: Place,
): Promise<Workspace> {
  const { fs } = options;
  for (const folder of FOLDERS) await fs.makeFolder(join(place.dir, folder));
  const recovered = await recover(fs, place.dir, options.onProblem ?? (() => {}));
  const first = recovered.damage ? [] : await firstFacts(fs, place, recovered);
  const workspace = new OpenedWorkspace(options, place, recovered);
  if (first.length > 0) await workspace.commit(() => first, { by: "store" });
  workspace.startBackground();
  return workspace;
}

/** What opening itself has to record: that the end of history was mended, and that the workspace is new. */
async function firstFacts(fs: FileSystem, place: Place, recovered: Recovered): Promise<NewFact[]> {
  const history = join(place.dir, "history");
  const repair = recovered.torn
    ? await mendTail(fs, history, recovered.torn)
    : await unrecordedRepair(fs, history, recovered.end, recovered.state.seq + 1);
  const repaired: NewFact[] = repair ? [{ kind: "log.repaired", payload: repair }] : [];
  if (recovered.state.workspace) return repaired;
  // The folders themselves must outlive a power cut, too.
  for (const folder of [place.dir, dirname(place.dir), dirname(dirname(place.dir))]) {
    await durably(() => fs.syncFolder(folder));
  }
  const { projectRoot, id } = place;
  const payload = { projectRoot, name: basename(projectRoot), wbsId: `wbs-${id}` };
  return [{ kind: "workspace.created", payload }, ...repaired];
}
