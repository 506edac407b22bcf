import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { idProblem } from "@multiverse/protocol/id";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** What attempts leave in a workspace's folder, by the name's ending. */
const LEFT: readonly { readonly folder: string; readonly ending: RegExp }[] = [
  { folder: "runs", ending: /$/ },
  { folder: "logs/attempts", ending: /\.log(\.tail)?$/ },
];

/**
 * Removes what old attempts left behind, all but the newest `keep` and those that run; the attempts themselves stay in
 * history. The file that shows an attempt goes once the state no longer knows it.
 */
export async function tidyRuns(dir: string, state: WorkspaceState, keep: number): Promise<number> {
  const attempts = [...state.attempts.values()];
  const newest = attempts.sort((a, b) => b.startedAt.localeCompare(a.startedAt)).slice(0, keep);
  const running = attempts.filter(({ finishedAt }) => finishedAt === null);
  const kept = new Set([...newest, ...running].map(({ id }) => id));
  let removed = 0;
  const removeFrom = async (folder: string, ending: RegExp, isOld: (id: string) => boolean) => {
    for (const name of await readdir(join(dir, folder)).catch(() => [])) {
      const id = name.replace(ending, "");
      if (!ending.test(name) || idProblem(id) !== undefined || !isOld(id)) continue;
      await rm(join(dir, folder, name), { recursive: true, force: true });
      removed += 1;
    }
  };
  for (const { folder, ending } of LEFT) await removeFrom(folder, ending, (id) => !kept.has(id));
  await removeFrom("attempts", /\.json$/, (id) => !state.attempts.has(id));
  return removed;
}
