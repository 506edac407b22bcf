import { join } from "node:path";
import { apply } from "@multiverse/protocol/apply/apply";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact, FactKind } from "@multiverse/protocol/fact";
import { loadState } from "@multiverse/protocol/saved-state";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import type { FileSystem } from "./file-system.ts";
import { giveWay } from "./give-way.ts";
import { orderedFiles } from "./history-order.ts";
import { scanHistory, type Accept } from "./scan-history.ts";
import { findSnapshots, loadSnapshot } from "./snapshots.ts";

export interface FactQuery {
  /** Only facts after this seq. */
  readonly after: number;
  readonly limit: number;
  readonly kind?: FactKind;
}

/** Facts of any age, read from the files; a page at a time. */
export async function readFacts(fs: FileSystem, dir: string, query: FactQuery): Promise<Fact[]> {
  const found: Fact[] = [];
  const from = await placeBefore(fs, dir, query.after);
  await scanFrom(fs, dir, from, (facts) => {
    for (const fact of facts) {
      if (fact.seq <= query.after || (query.kind && fact.kind !== query.kind)) continue;
      found.push(fact);
    }
    return found.length < query.limit;
  });
  return found.slice(0, query.limit);
}

/** The workspace as it was when `seq` was its newest fact. */
export async function stateAt(fs: FileSystem, dir: string, seq: number): Promise<WorkspaceState> {
  const folder = join(dir, "snapshots");
  const place = await placeBefore(fs, dir, seq);
  const loaded = place.id ? await loadSnapshot(fs, folder, place.id) : null;
  const good = loaded && !("problem" in loaded);
  await giveWay(); // a large snapshot was parsed, and is now made a state
  let state = good ? loadState(loaded.saved) : emptyState;
  await scanFrom(fs, dir, good ? place : BEGINNING, (facts) => {
    const wanted = facts.filter((fact) => fact.seq <= seq);
    state = apply(state, wanted);
    return state.seq < seq;
  });
  if (state.seq !== seq) throw noSuchMoment(seq);
  return state;
}

interface Place {
  readonly seq: number;
  readonly id: string | null;
  readonly file: string | null;
  readonly offset: number;
}

const BEGINNING: Place = { seq: 0, id: null, file: null, offset: 0 };

/** The snapshot nearest before a seq: reading can start where it was taken. */
async function placeBefore(fs: FileSystem, dir: string, seq: number): Promise<Place> {
  for (const { header } of await findSnapshots(fs, join(dir, "snapshots"))) {
    if (header && header.seq <= seq) return { seq: header.seq, id: header.id, ...header.history };
  }
  return BEGINNING;
}

async function scanFrom(fs: FileSystem, dir: string, place: Place, accept: Accept): Promise<void> {
  const folder = join(dir, "history");
  const names = (await orderedFiles(fs, folder)).map((file) => file.name);
  const files = place.file ? names.slice(Math.max(0, names.indexOf(place.file))) : names;
  await scanHistory(fs, folder, files, place, accept);
}

export const noSuchMoment = (seq: number): MultiverseError =>
  new MultiverseError("NOT_FOUND", `History has no fact ${seq}.`, {
    hint: "Choose a number between 1 and the newest fact's.",
  });
