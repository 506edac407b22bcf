import { setTimeout as sleep } from "node:timers/promises";
import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import type { PrintNew } from "./logs.ts";
import { watchWorkspace } from "./watch-workspace.ts";

const LOOK_MS = 300;

/** `multiverse logs -f`: the socket says what runs, so that only logs which can still grow are asked for. */
export async function followLogs(
  context: CliContext,
  client: Client,
  workspaceId: string,
  task: string | undefined,
  print: PrintNew,
): Promise<number> {
  const stop = new AbortController();
  const leave = (why: string | null): void => stop.abort(why);
  context.onStop(() => leave(null));
  const growing = growingLogs(task);
  const watching = watchWorkspace(client, workspaceId, {
    state: (state) => growing.hear(state),
    signal() {},
  });
  void watching.gone.then(leave);
  try {
    while (!stop.signal.aborted) {
      for (const { attemptId, label, hasEnded } of growing.list()) {
        await print({ attemptId, label });
        if (hasEnded) growing.forget(attemptId);
      }
      await sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    watching.stop();
  }
  if (stop.signal.reason === null) return 0;
  throw new MultiverseError("NOT_FOUND", `the server has gone: ${String(stop.signal.reason)}`, {
    hint: "Start it with `multiverse PROJECT_DIR` and follow again.",
  });
}

/** The logs that may hold more than was printed: of attempts that run, and once more of those that have just ended. */
function growingLogs(task: string | undefined) {
  let state: WorkspaceState | null = null;
  const growing = new Map<string, string>();
  return {
    hear(next: WorkspaceState): void {
      state = next;
      for (const { id, currentAttempt } of next.tasks.values())
        if (currentAttempt !== null && (task === undefined || task === id))
          growing.set(currentAttempt, task === undefined ? id : "");
    },
    list: () =>
      [...growing].map(([attemptId, label]) => ({
        attemptId,
        label,
        // Known before its log is read: what it printed last is then certainly there.
        hasEnded: state?.attempts.get(attemptId)?.finishedAt !== null,
      })),
    forget: (attemptId: string) => void growing.delete(attemptId),
  };
}
