import { join } from "node:path";
import type { NewFact } from "@multiverse/protocol/fact";
import { durably } from "../durable-file.ts";
import type { FileSystem } from "../file-system.ts";
import { dayOfFile } from "../history-files.ts";
import { orderedFiles } from "../history-order.ts";
import { readWorkspaceFile } from "../workspace-file.ts";
import { earlierState, type ImportPlace } from "./earlier-state.ts";
import { readEarlier, type Report } from "./read-earlier.ts";

const SIGNS = ["design", "state", "tasks"];
const KEPT = ["design", "design/nodes", "state", "tasks"];

/** Whether the folder was written by the earlier implementation: its files are there, but none of our facts. */
export async function isEarlier(fs: FileSystem, dir: string): Promise<boolean> {
  if (((await readWorkspaceFile(fs, dir))?.schema_version ?? 0) > 0) return false;
  const files = await orderedFiles(fs, join(dir, "history"));
  if (files.some((file) => file.firstSeq !== null)) return false;
  for (const folder of SIGNS) {
    const names = await fs.list(join(dir, folder));
    if (names.some((name) => name.endsWith(".json") || name.endsWith(".jsonl"))) return true;
  }
  return false;
}

/**
 * Reads an earlier workspace once and tells what it held as one fact. Its own files are kept under imported/, and its
 * history (facts without numbers) beside ours. Done over again after a crash, it gives the same.
 */
export async function importEarlier(
  fs: FileSystem,
  dir: string,
  place: ImportPlace,
  report: Report,
): Promise<NewFact> {
  await setHistoryAside(fs, dir);
  await keepCopies(fs, dir);
  const earlier = await readEarlier(fs, dir, place.now, report);
  const stateAt = earlierState(earlier, place);
  const { projectRoot, name } = place;
  return {
    kind: "workspace.imported",
    payload: {
      projectRoot,
      name: earlier.name ?? name,
      from: "design/, state/ and tasks/",
      stateAt,
    },
  };
}

async function setHistoryAside(fs: FileSystem, dir: string): Promise<void> {
  const folder = join(dir, "history");
  for (const name of await fs.list(folder)) {
    if (dayOfFile(name)) await fs.rename(join(folder, name), join(folder, `imported-${name}`));
  }
  await durably(() => fs.syncFolder(folder));
}

async function keepCopies(fs: FileSystem, dir: string): Promise<void> {
  for (const folder of KEPT) {
    const target = join(dir, "imported", folder);
    await fs.makeFolder(target);
    for (const name of await fs.list(join(dir, folder))) {
      if (!/\.jsonl?$/.test(name)) continue;
      await fs.writeFile(join(target, name), await fs.readFile(join(dir, folder, name)));
    }
  }
}
