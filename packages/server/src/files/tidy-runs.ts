import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** Removes what old attempts left behind, all but the newest `keep`; the attempts themselves stay in history. */
export async function tidyRuns(dir: string, state: WorkspaceState, keep: number): Promise<number> {
  const newest = [...state.attempts.values()]
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    .slice(0, keep);
  const running = [...state.attempts.values()].filter(({ finishedAt }) => finishedAt === null);
  const kept = new Set([...newest, ...running].map(({ id }) => id));
  const old = (names: string[]): string[] =>
    names.filter((name) => {
      const id = name.replace(/\.log(\.tail)?$/, "");
      return state.attempts.has(id) && !kept.has(id);
    });
  let removed = 0;
  for (const folder of ["runs", "logs/attempts"]) {
    for (const name of old(await readdir(join(dir, folder)).catch(() => []))) {
      await rm(join(dir, folder, name), { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}
