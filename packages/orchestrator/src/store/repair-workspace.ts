import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { acquireLock } from "./lock.ts";
import { nodeFileSystem } from "./node-file-system.ts";
import { openWorkspace } from "./open-workspace.ts";
import { examine, prepareRepair, type RepairChoice, type RepairOffer } from "./repair.ts";
import { workspaceIdOf } from "./workspace-id.ts";
import { refuseNewer } from "./workspace-file.ts";
import type { OpenOptions } from "./workspace.ts";

export interface Repaired {
  readonly offer: RepairOffer;
  readonly choice: RepairChoice;
  /** Where copies of the damaged files are, under the workspace's folder. */
  readonly keptIn: string;
  readonly seq: number;
}

/** What is damaged and what can be done about it; null if nothing is. Changes nothing. */
export function offerRepair(options: OpenOptions): Promise<RepairOffer | null> {
  return locked(
    options,
    async (dir) => (await examine(options.fs ?? nodeFileSystem, dir))?.offer ?? null,
  );
}

/** Carries out the chosen way. History says that it happened, and nothing is thrown away. */
export async function repairWorkspace(
  options: OpenOptions,
  choice: RepairChoice,
): Promise<Repaired | null> {
  const fs = options.fs ?? nodeFileSystem;
  const prepared = await locked(options, (dir) =>
    prepareRepair(fs, dir, choice, options.clock.now()),
  );
  const workspace = await openWorkspace(options); // which also ends a repair that was cut off
  const { seq } = workspace.state;
  await workspace.close();
  return prepared && { ...prepared, choice, seq };
}

async function locked<T>(options: OpenOptions, step: (dir: string) => Promise<T>): Promise<T> {
  const fs = options.fs ?? nodeFileSystem;
  const projectRoot = options.fs ? options.projectRoot : await realpath(options.projectRoot);
  const dir = join(options.home, "workspaces", workspaceIdOf(projectRoot));
  await fs.makeFolder(dir);
  const lock = await (options.acquireLock ?? acquireLock)(dir, options.url ?? null);
  try {
    await refuseNewer(fs, dir);
    return await step(dir);
  } finally {
    await lock.release();
  }
}
