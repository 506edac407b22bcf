import { MultiverseError } from "@multiverse/protocol/error";
import type { SavedState } from "@multiverse/protocol/saved-state";

/** The version of everything under workspaces/<id>/. 0 is the earlier implementation, which wrote no number. */
export const SCHEMA_VERSION = 1;

/** How a saved state of version n becomes one of version n + 1. */
export type Migrations = Readonly<
  Record<number, (saved: Record<string, unknown>) => Record<string, unknown>>
>;
const MIGRATIONS: Migrations = {};

/** Brings a state saved by an older version up to date, one version at a time. */
export function migrateState(
  saved: unknown,
  from: number,
  migrations = MIGRATIONS,
  to = SCHEMA_VERSION,
): SavedState {
  let current = saved as Record<string, unknown>;
  for (let version = from; version < to; version += 1) {
    const step = migrations[version];
    if (step) current = step(current);
  }
  return current as unknown as SavedState;
}

export const tooNew = (what: string): MultiverseError =>
  new MultiverseError(
    "WORKSPACE_TOO_NEW",
    `This workspace was written by a newer version: ${what}.`,
    {
      hint: "Update Multiverse, or open it with the version that wrote it. Nothing was changed.",
    },
  );
