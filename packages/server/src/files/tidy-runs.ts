import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { idProblem } from "@multiverse/protocol/id";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** What attempts leave in a workspace's folder, by the name's ending. */
const LEFT: readonly {
  readonly folder: string;
  readonly ending: RegExp;
  /** The store keeps it as long as the state knows the attempt. */
  readonly isView: boolean;
}[] = [
  { folder: "runs", ending: /$/, isView: false },
  { folder: "logs/attempts", ending: /\.log(\.tail)?$/, isView: false },
  { folder: "attempts", ending: /\.json$/, isView: true },
];

/**
 * Removes what old attempts left behind, all but the newest `keep` and those that run; the attempts themselves stay in
 * history. What the state does not know (any more) goes only where there is more than `keep` of a kind.
 */
export async function tidyRuns(dir: string, state: WorkspaceState, keep: number): Promise<number> {
  const attempts = [...state.attempts.values()];
  const newest = attempts.sort((a, b) => b.startedAt.localeCompare(a.startedAt)).slice(0, keep);
  const running = attempts.filter(({ finishedAt }) => finishedAt === null);
  const kept = new Set([...newest, ...running].map(({ id }) => id));
  let removed = 0;
  for (const { folder, ending, isView } of LEFT) {
    const names = await readdir(join(dir, folder)).catch(() => []);
    const isFull = names.length > keep;
    for (const name of names) {
      const id = name.replace(ending, "");
      if (!ending.test(name) || idProblem(id) !== undefined || kept.has(id)) continue;
      if (state.attempts.has(id) ? isView : !isFull) continue;
      await rm(join(dir, folder, name), { recursive: true, force: true });
      removed += 1;
    }
  }
  return removed;
}
