import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { NewFact } from "@multiverse/protocol/fact";
import type { RepairFile } from "@multiverse/protocol/repair-file";
import { durably } from "./durable-file.ts";
import type { ImportPlace } from "./import/earlier-state.ts";
import { importEarlier, isEarlier } from "./import/import-workspace.ts";
import { nodeFileSystem } from "./node-file-system.ts";
import type { FileSystem } from "./file-system.ts";
import { acquireLock, type Lock } from "./lock.ts";
import { mendTail, unrecordedRepair } from "./mend-tail.ts";
import { OpenedWorkspace } from "./opened-workspace.ts";
import {
  cutHistory,
  forgetRepair,
  isRecorded,
  pendingRepair,
  repairFacts,
} from "./pending-repair.ts";
import { recover, type Recovered } from "./recover.ts";
import type { Damage } from "./scan-history.ts";
import { readWorkspaceFile, refuseNewer } from "./workspace-file.ts";
import { workspaceIdOf } from "./workspace-id.ts";
import { isDiskError, storageError } from "./storage-error.ts";
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
    throw isDiskError(error) ? storageError("the workspace could not be opened", error) : error;
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
  const report = options.onProblem ?? (() => {});
  for (const folder of FOLDERS) await fs.makeFolder(join(place.dir, folder));
  const beginning = (await isEarlier(fs, place.dir))
    ? await importEarlier(fs, place.dir, importPlace(options, place), report)
    : created(place);
  const repair = await pendingRepair(fs, place.dir);
  const recovered = await recoverRepaired(fs, place.dir, report, repair);
  const first = recovered.damage ? [] : await firstFacts(fs, place, recovered, beginning);
  if (repair && !isRecorded(recovered, repair)) first.push(...repairFacts(repair));
  const workspace = new OpenedWorkspace(options, place, recovered);
  try {
    if (first.length > 0) await workspace.commit(() => first, { by: "store" });
    if (repair) await forgetRepair(fs, place.dir);
  } catch (error) {
    await workspace.abandon(error);
    throw error;
  }
  workspace.startBackground();
  return workspace;
}

/** The state of the workspace, after a repair that was decided on has cut history. */
async function recoverRepaired(
  fs: FileSystem,
  dir: string,
  report: (message: string, error: unknown) => void,
  repair: RepairFile | null,
): Promise<Recovered> {
  const found = await recover(fs, dir, report);
  if (repair && !isRecorded(found, repair)) {
    await cutHistory(fs, dir, repair);
    return recover(fs, dir, report);
  }
  return { ...found, damage: found.damage ?? (await missingHistory(fs, dir, found)) };
}

const importPlace = ({ clock }: OpenOptions, { id, projectRoot }: Place): ImportPlace => ({
  workspaceId: id,
  projectRoot,
  name: basename(projectRoot),
  now: clock.now(),
});

const created = ({ id, projectRoot }: Place): NewFact => ({
  kind: "workspace.created",
  payload: { projectRoot, name: basename(projectRoot), wbsId: `wbs-${id}` },
});

/** Our workspace.json is written after the first fact, so if it is there and no fact is, history was removed. */
async function missingHistory(
  fs: FileSystem,
  dir: string,
  found: Recovered,
): Promise<Damage | null> {
  if (found.state.workspace || found.torn) return null;
  const version = (await readWorkspaceFile(fs, dir))?.schema_version ?? 0;
  return version > 0
    ? { file: "history", offset: 0, problem: "there are no facts, but there were some" }
    : null;
}

/** Drafts that a crash left half-written. */
async function removeDrafts(fs: FileSystem, folder: string): Promise<void> {
  for (const name of await fs.list(folder))
    if (name.endsWith(".tmp")) await fs.remove(join(folder, name));
}

/** What opening itself has to record: that the end of history was mended, and how the workspace began. */
async function firstFacts(
  fs: FileSystem,
  place: Place,
  recovered: Recovered,
  beginning: NewFact,
): Promise<NewFact[]> {
  const history = join(place.dir, "history");
  for (const folder of [place.dir, history, join(place.dir, "snapshots")])
    await removeDrafts(fs, folder);
  const repair = recovered.torn
    ? await mendTail(fs, history, recovered.torn)
    : await unrecordedRepair(fs, history, recovered.end, recovered.state.seq + 1);
  const repaired: NewFact[] = repair ? [{ kind: "log.repaired", payload: repair }] : [];
  if (recovered.state.workspace) return repaired;
  // The folders themselves must outlive a power cut, too.
  for (const folder of [place.dir, dirname(place.dir), dirname(dirname(place.dir))]) {
    await durably(() => fs.syncFolder(folder));
  }
  return [beginning, ...repaired];
}
