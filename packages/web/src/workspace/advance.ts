import { apply } from "@multiverse/protocol/apply/apply";
import type { FactWire } from "@multiverse/protocol/fact";
import { factFromWire } from "@multiverse/protocol/fact-wire";
import { loadState, type SavedState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** What the socket tells about the state, in the order it came. */
export type Change =
  | { readonly seq: number; readonly facts: readonly FactWire[] }
  | { readonly seq: number; readonly state: SavedState };

export interface Advanced {
  readonly state: WorkspaceState;
  /** A fact is missing in between: the state has to be fetched anew. */
  readonly gap: boolean;
}

/** The state after some changes. Facts it already has are passed over, so a resumed connection doubles nothing. */
export function advance(state: WorkspaceState, changes: readonly Change[]): Advanced {
  let current = state;
  for (const change of changes) {
    if ("state" in change) {
      // Also an older one: after a repair the server's past is another, and what follows continues this state.
      current = loadState(change.state);
      continue;
    }
    const fresh = change.facts.filter((fact) => fact.seq > current.seq);
    const first = fresh[0];
    if (first === undefined) continue;
    if (first.seq !== current.seq + 1) return { state: current, gap: true };
    current = apply(current, fresh.map(factFromWire));
  }
  return { state: current, gap: false };
}
