import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { Ports } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";

export interface DefaultAnswersOptions {
  readonly workspace: Workspace;
  readonly ports: Ports;
  readonly afterMs: number;
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
    for (const item of this.options.workspace.state.backlog.values()) {
      const text = defaultOf(item);
      if (text === null || this.waiting.has(item.id)) continue;
      this.waiting.add(item.id);
      this.answerLater(item, text).catch((error: unknown) => {
        if (this.closing.signal.aborted) return;
        const fields = { backlog_id: item.id, error: String(error) };
        this.options.ports.log("warn", "a question could not be answered by its default", fields);
      });
    }
  }

  private async answerLater(item: BacklogItem, text: string): Promise<void> {
    const { workspace, ports, afterMs, resolve } = this.options;
    const age = ports.clock.now().getTime() - Date.parse(item.createdAt);
    await ports.clock.sleep(Math.max(0, Math.min(afterMs, afterMs - age)), this.closing.signal);
    if (workspace.state.backlog.get(item.id)?.resolvedAt === null) await resolve(item.id, text);
  }
}

/** What an open question answers itself with, or null. */
function defaultOf({ type, resolvedAt, metadata }: BacklogItem): string | null {
  const text = metadata["default"];
  return type === "QUESTION" && resolvedAt === null && typeof text === "string" ? text : null;
}
