import type { Attempt } from "@multiverse/protocol/attempt";
import type { WorkspaceState } from "@multiverse/protocol/state";

export interface Recovery {
  /** Runs that history says are going on: they are heard again, or found to be lost. */
  readonly adopt: readonly Attempt[];
  /** Runs nobody waits for any more, whose processes may still be there. */
  readonly stop: readonly Attempt[];
}

/**
 * What a process that opens a workspace owes to the runs of the one before it. Pure, and the same however often the
 * process is killed while doing it.
 */
export function recover(state: WorkspaceState): Recovery {
  const attempts = [...state.attempts.values()];
  return {
    adopt: attempts.filter((attempt) => attempt.status === "RUNNING" && isAwaited(state, attempt)),
    stop: attempts.filter(
      (attempt) =>
        (attempt.status === "RUNNING" && !isAwaited(state, attempt)) || wasCutShort(attempt),
    ),
  };
}

const isAwaited = (state: WorkspaceState, { id, taskId }: Attempt): boolean =>
  state.tasks.get(taskId)?.currentAttempt === id;

/** Ended by a decision (its task was deleted) and not by its own last word: the process may not know. */
const wasCutShort = ({ status, reason }: Attempt): boolean =>
  status === "CANCELED" && reason === null;
