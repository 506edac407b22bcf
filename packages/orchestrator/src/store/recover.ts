import { join } from "node:path";
import { apply } from "@multiverse/protocol/apply/apply";
import type { SnapshotHeader } from "@multiverse/protocol/entity-files";
import { loadState } from "@multiverse/protocol/saved-state";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import type { FileSystem } from "./file-system.ts";
import type { HistoryPosition } from "./history-files.ts";
import { orderedFiles, type HistoryFile } from "./history-order.ts";
import { RecentFacts } from "./recent-facts.ts";
import { scanHistory, type Damage, type Torn } from "./scan-history.ts";
import { findSnapshots, loadSnapshot } from "./snapshots.ts";

/** The snapshot a state was built on, and what has been added since. */
export interface Base {
  readonly seq: number;
  readonly position: HistoryPosition | null;
  readonly snapshotBytes: number;
  readonly factsSince: number;
  /** Those of the facts that say more than "a snapshot was taken". */
  readonly changesSince: number;
  readonly bytesSince: number;
}

export interface Recovered {
  readonly state: WorkspaceState;
  /** Where the next line goes; null if there is no history yet. */
  readonly end: HistoryPosition | null;
  readonly torn: Torn | null;
  readonly damage: Damage | null;
  readonly recent: RecentFacts;
  readonly base: Base;
  readonly files: readonly HistoryFile[];
}

interface Start {
  readonly state: WorkspaceState;
  readonly position: HistoryPosition | null;
  readonly snapshotBytes: number;
}

/** The state that history adds up to: the newest good snapshot and what came after it. Reads only. */
export async function recover(
  fs: FileSystem,
  dir: string,
  onProblem: (message: string, error: unknown) => void,
): Promise<Recovered> {
  const files = await orderedFiles(fs, join(dir, "history"));
  const start = await newestStart(fs, join(dir, "snapshots"), onProblem);
  const lost = start.position && lostHistory(files, start.position, start.state.seq);
  return lost
    ? { ...unread(start, files), damage: lost }
    : replay(fs, join(dir, "history"), files, start);
}

async function newestStart(
  fs: FileSystem,
  folder: string,
  onProblem: (message: string, error: unknown) => void,
): Promise<Start> {
  for (const { name } of await findSnapshots(fs, folder)) {
    const loaded = await loadSnapshot(fs, folder, name);
    if (!("problem" in loaded)) {
      const { header, saved, bytes } = loaded;
      return { state: loadState(saved), position: header.history, snapshotBytes: bytes };
    }
    onProblem(`snapshots/${name}.json cannot be used`, new Error(loaded.problem));
  }
  return { state: emptyState, position: null, snapshotBytes: 0 };
}

/** A snapshot holds only what was durable, so history that ends before it has lost something. */
function lostHistory(
  files: readonly HistoryFile[],
  { file, offset }: SnapshotHeader["history"],
  seq: number,
): Damage | null {
  const found = files.find((candidate) => candidate.name === file);
  if (found && found.size >= offset) return null;
  const problem = `a snapshot has seq ${seq}, but history ends before it`;
  return { file: `history/${file}`, offset: found?.size ?? 0, problem };
}

const unread = (start: Start, files: readonly HistoryFile[]): Recovered => ({
  state: start.state,
  end: start.position,
  torn: null,
  damage: null,
  recent: new RecentFacts(),
  base: {
    seq: start.state.seq,
    position: start.position,
    snapshotBytes: start.snapshotBytes,
    factsSince: 0,
    changesSince: 0,
    bytesSince: 0,
  },
  files,
});

async function replay(
  fs: FileSystem,
  folder: string,
  files: readonly HistoryFile[],
  start: Start,
): Promise<Recovered> {
  const recovered = unread(start, files);
  const names = files.map((file) => file.name);
  const tail = start.position ? names.slice(names.indexOf(start.position.file)) : names;
  const from = { seq: start.state.seq, offset: start.position?.offset ?? 0 };
  let { state } = start;
  let factsSince = 0;
  let changesSince = 0;
  let bytesSince = 0;
  const scanned = await scanHistory(fs, folder, tail, from, (facts, bytes) => {
    state = apply(state, facts);
    recovered.recent.add(facts, bytes);
    factsSince += facts.length;
    changesSince += facts.filter((fact) => fact.kind !== "snapshot.created").length;
    bytesSince += bytes;
  });
  return {
    ...recovered,
    ...scanned,
    state,
    base: { ...recovered.base, factsSince, changesSince, bytesSince },
  };
}
