import type { Attempt } from "@multiverse/protocol/attempt";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** What attempts leave behind (run folders, logs), wherever that is. */
export interface AttemptFiles {
  /** The attempts that something is left of. */
  list(): Promise<readonly string[]>;
  remove(attemptId: string): Promise<void>;
}

/**
 * The attempts whose files may go: finished, and neither among the newest `keep` nor the last of a task that a person
 * still has to decide about. What the state does not know is left alone. Pure.
 */
export function expiredAttempts(
  state: WorkspaceState,
  present: Iterable<string>,
  keep: number,
): string[] {
  const known = [...present].flatMap((id) => state.attempts.get(id) ?? []);
  const finished = known.filter((attempt) => attempt.finishedAt !== null).sort(newestFirst);
  return finished
    .slice(keep)
    .filter((attempt) => !isUndecided(state, attempt))
    .map((attempt) => attempt.id);
}

const newestFirst = (a: Attempt, b: Attempt): number =>
  (a.finishedAt ?? "") > (b.finishedAt ?? "") ? -1 : 1;

function isUndecided(state: WorkspaceState, { id, taskId }: Attempt): boolean {
  const task = state.tasks.get(taskId);
  return (
    task?.outcome?.attemptId === id && (task.progress === "failed" || task.waitingFor !== null)
  );
}

/** Removes what is left of old attempts and says of which; a file that cannot be removed stops nothing. */
export async function cleanUp(
  state: WorkspaceState,
  keep: number,
  files: AttemptFiles,
  onProblem: (attemptId: string, error: unknown) => void,
): Promise<string[]> {
  const removed: string[] = [];
  for (const id of expiredAttempts(state, await files.list(), keep)) {
    try {
      await files.remove(id);
      removed.push(id);
    } catch (error) {
      onProblem(id, error);
    }
  }
  return removed;
}
