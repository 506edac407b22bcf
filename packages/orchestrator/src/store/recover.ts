import { apply } from "@multiverse/protocol/apply/apply";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import type { FileSystem } from "./file-system.ts";
import type { HistoryPosition } from "./history-files.ts";
import { orderedFiles } from "./history-order.ts";
import { RecentFacts } from "./recent-facts.ts";
import { scanHistory, type Damage, type Torn } from "./scan-history.ts";

export interface Recovered {
  readonly state: WorkspaceState;
  /** Where the next line goes; null if there is no history yet. */
  readonly end: HistoryPosition | null;
  readonly torn: Torn | null;
  readonly damage: Damage | null;
  readonly recent: RecentFacts;
}

/** The state that history adds up to. Reads only; what has to be mended is reported. */
export async function recover(fs: FileSystem, folder: string): Promise<Recovered> {
  const files = await orderedFiles(fs, folder);
  const names = files.map((file) => file.name);
  const recent = new RecentFacts();
  let state = emptyState;
  const { end, torn, damage } = await scanHistory(
    fs,
    folder,
    names,
    { seq: 0, offset: 0 },
    (facts) => {
      state = apply(state, facts);
      recent.add(facts, 500 * facts.length);
    },
  );
  return { state, end, torn, damage, recent };
}
