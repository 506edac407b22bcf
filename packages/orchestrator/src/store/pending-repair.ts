import { join } from "node:path";
import type { NewFact } from "@multiverse/protocol/fact";
import { RepairFile } from "@multiverse/protocol/repair-file";
import { durably } from "./durable-file.ts";
import { isMissing, type FileSystem } from "./file-system.ts";
import type { Recovered } from "./recover.ts";

export const REPAIR_FILE = "repair.json";

/** A repair that was decided on, or null. */
export async function pendingRepair(fs: FileSystem, dir: string): Promise<RepairFile | null> {
  try {
    return RepairFile.parse(
      JSON.parse((await fs.readFile(join(dir, REPAIR_FILE))).toString("utf8")),
    );
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether history already tells of the repair: then only the note is left to be removed. */
export const isRecorded = ({ state }: Recovered, { keptIn }: RepairFile): boolean =>
  state.incidents.some(
    (incident) => incident.kind === "log.repaired" && incident.message.includes(keptIn),
  );

/** Cuts history where the repair says. Done twice, it does the same. */
export async function cutHistory(
  fs: FileSystem,
  dir: string,
  { end, later }: RepairFile,
): Promise<void> {
  const history = join(dir, "history");
  const snapshots = join(dir, "snapshots");
  for (const name of await fs.list(snapshots)) await fs.remove(join(snapshots, name));
  await durably(() => fs.syncFolder(snapshots));
  for (const name of later) await fs.remove(join(history, name));
  if (end) {
    const file = await fs.open(join(history, end.file), "update");
    await file.truncate(end.offset);
    await durably(() => file.sync());
    await file.close();
  }
  await durably(() => fs.syncFolder(history));
}

/** The facts as decisions give them: they were decided when the note was written. */
export const repairFacts = ({ facts }: RepairFile): NewFact[] => facts as NewFact[];

export async function forgetRepair(fs: FileSystem, dir: string): Promise<void> {
  await fs.remove(join(dir, REPAIR_FILE));
  await durably(() => fs.syncFolder(dir));
}
