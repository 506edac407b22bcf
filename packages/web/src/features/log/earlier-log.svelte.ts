import type { Workspace } from "../../workspace/workspace.svelte.ts";
import type { LogLine } from "../../workspace/log-lines.ts";
import { StoredLog, type LogSource } from "./stored-log.ts";

const MOST_LINES = 50_000;
const MOST_ATTEMPTS = 100;

/** What was printed before the lines in memory: fetched from the attempts' files, further back each time one asks. */
export class EarlierLog {
  lines: readonly LogLine[] = $state.raw([]);
  loading = $state(false);
  readonly #workspace: Workspace;
  #scope: { taskId: string | null } | null = null;
  #stored: StoredLog | null = null;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Starts over for one task or for all; nothing is fetched yet. */
  reset(taskId: string | null): void {
    this.clear();
    this.#scope = { taskId };
  }

  /** Forgets what was fetched, and fetches no more: someone wants an empty log. */
  clear(): void {
    this.lines = [];
    this.loading = false;
    this.#scope = null;
    this.#stored = null;
  }

  /** Fetches the lines before, if there are any; says how many came. */
  async more(): Promise<number> {
    if (this.#scope === null) return 0;
    const stored = (this.#stored ??= this.#open(this.#scope.taskId));
    if (stored.done || this.loading || this.lines.length >= MOST_LINES) return 0;
    this.loading = true;
    try {
      const lines = await stored.earlier();
      if (stored !== this.#stored) return 0; // someone looks at another task by now
      this.lines = [...lines, ...this.lines];
      return lines.length;
    } finally {
      if (stored === this.#stored) this.loading = false;
    }
  }

  #open(taskId: string | null): StoredLog {
    const { api, logs } = this.#workspace;
    return new StoredLog(api.attemptLog, sources(this.#workspace, taskId), (source) =>
      logs.lines(source.taskId).filter(({ attemptId }) => attemptId === source.attemptId),
    );
  }
}

function sources({ view }: Workspace, taskId: string | null): LogSource[] {
  return [...view.attempts.values()]
    .filter((attempt) => taskId === null || attempt.taskId === taskId)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
    .slice(0, MOST_ATTEMPTS)
    .map(({ id, taskId: task }) => ({ attemptId: id, taskId: task }));
}
