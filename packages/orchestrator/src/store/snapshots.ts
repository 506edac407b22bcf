import { join } from "node:path";
import type { SnapshotHeader } from "@multiverse/protocol/entity-files";
import { MultiverseError } from "@multiverse/protocol/error";
import { idProblem } from "@multiverse/protocol/id";
import type { SavedState } from "@multiverse/protocol/saved-state";
import { isMissing, type FileSystem } from "./file-system.ts";
import { decodeHeader, decodeSnapshot, HEADER_BYTES } from "./snapshot-file.ts";

/** snapshots/: whole states at a seq. Newest first means highest seq first; the clock in the name is for people. */
const NAME = /^(snapshot-[A-Za-z0-9._-]+)\.json$/;

export type SnapshotInfo = Omit<SnapshotHeader, "history" | "version"> & { readonly bytes: number };
export type FoundSnapshot = { readonly name: string } & (
  | { readonly header: SnapshotHeader; readonly bytes: number }
  | { readonly header: null; readonly problem: string }
);

export const snapshotPath = (folder: string, id: string): string => join(folder, `${id}.json`);

/** `snapshot-20260102T030405678Z`: sorts by time, and is a file name everywhere. */
export const snapshotId = (at: Date): string =>
  `snapshot-${at.toISOString().replaceAll(/[-:.]/g, "")}`;

export async function findSnapshots(fs: FileSystem, folder: string): Promise<FoundSnapshot[]> {
  const found: FoundSnapshot[] = [];
  for (const file of await fs.list(folder)) {
    const name = NAME.exec(file)?.[1];
    if (name) found.push(await describe(fs, folder, name));
  }
  return found.sort(
    (a, b) => (b.header?.seq ?? -1) - (a.header?.seq ?? -1) || (a.name < b.name ? 1 : -1),
  );
}

async function describe(fs: FileSystem, folder: string, name: string): Promise<FoundSnapshot> {
  try {
    const file = await fs.open(snapshotPath(folder, name), "read");
    try {
      const header = decodeHeader(await file.read(0, HEADER_BYTES));
      if (!header || header.id !== name)
        return { name, header: null, problem: "it is not a snapshot" };
      return { name, header, bytes: await file.size() };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof MultiverseError) throw error;
    return { name, header: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

export type LoadedSnapshot = {
  readonly header: SnapshotHeader;
  readonly saved: SavedState;
  readonly bytes: number;
};

/** The whole of a snapshot, checked against its hash, or what is wrong with it. */
export async function loadSnapshot(
  fs: FileSystem,
  folder: string,
  id: string,
): Promise<LoadedSnapshot | { problem: string }> {
  try {
    const file = await fs.readFile(snapshotPath(folder, id));
    const decoded = await decodeSnapshot(file);
    if ("problem" in decoded) return decoded;
    if (decoded.header.id !== id) return { problem: "it is a copy of another snapshot" };
    return { ...decoded, bytes: file.length };
  } catch (error) {
    if (error instanceof MultiverseError || isMissing(error)) throw error;
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The snapshot to restore. Refused before anything changes if it is damaged; then an older good one is named. */
export async function snapshotToRestore(
  fs: FileSystem,
  folder: string,
  id: string,
): Promise<LoadedSnapshot> {
  const problem = idProblem(id);
  if (problem)
    throw new MultiverseError("INVALID_ID", `The snapshot id ${problem}.`, {
      hint: "Take one from the list of snapshots.",
    });
  const loaded = await loadSnapshot(fs, folder, id).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    throw new MultiverseError("NOT_FOUND", `There is no snapshot ${id}.`, {
      hint: "Take one from the list of snapshots.",
    });
  });
  if (!("problem" in loaded)) return loaded;
  const other = await newestGood(fs, folder, id);
  throw new MultiverseError(
    "SNAPSHOT_DAMAGED",
    `${id} cannot be restored: ${loaded.problem}. Nothing was changed.`,
    {
      hint: other ? `Restore ${other} instead.` : "There is no other snapshot that is whole.",
    },
  );
}

async function newestGood(
  fs: FileSystem,
  folder: string,
  except: string,
): Promise<string | undefined> {
  for (const { name, header } of await findSnapshots(fs, folder)) {
    if (!header || name === except) continue;
    if (!("problem" in (await loadSnapshot(fs, folder, name)))) return name;
  }
  return undefined;
}

/** How many are kept: those taken by themselves soon make room, those somebody asked for last longer. */
const KEEP = { automatic: 3, stop: 3, requested: 20, safety: 10 } as const;

/** Names of the snapshots that are no longer needed. Damaged ones are left for a person to look at. */
export function superfluous(found: readonly FoundSnapshot[]): string[] {
  const kept = { automatic: 0, stop: 0, requested: 0, safety: 0 };
  return found.flatMap(({ name, header }) => {
    if (!header) return [];
    kept[header.reason] += 1;
    return kept[header.reason] > KEEP[header.reason] ? [name] : [];
  });
}
