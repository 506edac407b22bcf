import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { Ports } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";

/** Answers questions that carry a default once nobody has for a while, so that an unattended run goes on. */
export function answerByDefault(
  workspace: Workspace,
  ports: Ports,
  afterMs: number | null,
  resolve: (id: string, text: string) => Promise<void>,
): { close(): void } {
  const closing = new AbortController();
  const waiting = new Set<string>();
  if (afterMs === null) return { close: () => {} };

  async function answerLater(item: BacklogItem, text: string): Promise<void> {
    const age = ports.clock.now().getTime() - Date.parse(item.createdAt);
    await ports.clock.sleep(Math.max(0, Math.min(afterMs!, afterMs! - age)), closing.signal);
    if (workspace.state.backlog.get(item.id)?.resolvedAt === null) await resolve(item.id, text);
  }

  function look(): void {
    for (const item of workspace.state.backlog.values()) {
      const text = item.metadata["default"];
      if (
        item.type !== "QUESTION" ||
        item.resolvedAt !== null ||
        typeof text !== "string" ||
        waiting.has(item.id)
      )
        continue;
      waiting.add(item.id);
      answerLater(item, text).catch((error: unknown) => {
        if (!closing.signal.aborted)
          ports.log("warn", "a question could not be answered by its default", {
            error: String(error),
          });
      });
    }
  }

  const unsubscribe = workspace.subscribe((facts) => {
    if (facts.some((fact) => fact.kind === "backlog.added")) look();
  });
  look();
  return {
    close() {
      closing.abort();
      unsubscribe();
    },
  };
}
