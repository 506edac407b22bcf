import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { Ports } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";

export interface DefaultAnswersOptions {
  readonly workspace: Workspace;
  readonly ports: Ports;
  /** How long a question waits for a person first; null while only a person may answer. Asked anew each time. */
  readonly afterMs: () => number | null;
  readonly resolve: (id: string, text: string) => Promise<void>;
}

/** Answers questions that carry a default once nobody has for a while, so that an unattended run goes on. */
export class DefaultAnswers {
  private readonly options: DefaultAnswersOptions;
  private readonly closing = new AbortController();
  private readonly waiting = new Set<string>();
  private readonly unsubscribe: () => void;

  constructor(options: DefaultAnswersOptions) {
    this.options = options;
    this.unsubscribe = options.workspace.subscribe((facts) => {
      if (facts.some((fact) => fact.kind === "backlog.added")) this.look();
    });
    this.look();
  }

  close(): void {
    this.closing.abort();
    this.unsubscribe();
  }

  private look(): void {
    const afterMs = this.options.afterMs();
    if (afterMs === null) return;
    for (const item of this.options.workspace.state.backlog.values()) {
      const text = defaultOf(item);
      if (text === null || this.waiting.has(item.id)) continue;
      this.waiting.add(item.id);
      this.answerLater(item, text, afterMs)
        .catch((error: unknown) => {
          if (this.closing.signal.aborted) return;
          const fields = { backlog_id: item.id, error: String(error) };
          this.options.ports.log("warn", "a question could not be answered by its default", fields);
        })
        .finally(() => this.waiting.delete(item.id));
    }
  }

  private async answerLater(item: BacklogItem, text: string, afterMs: number): Promise<void> {
    const { workspace, ports, resolve } = this.options;
    const age = ports.clock.now().getTime() - Date.parse(item.createdAt);
    await ports.clock.sleep(Math.max(0, Math.min(afterMs, afterMs - age)), this.closing.signal);
    // A real agent may have been chosen since: its questions are for a person, and so are those that were open then.
    if (this.options.afterMs() === null) return;
    if (workspace.state.backlog.get(item.id)?.resolvedAt === null) await resolve(item.id, text);
  }
}

/** What an open question answers itself with, or null. */
function defaultOf({ type, resolvedAt, metadata }: BacklogItem): string | null {
  const text = metadata["default"];
  return type === "QUESTION" && resolvedAt === null && typeof text === "string" ? text : null;
}
