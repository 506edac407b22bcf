import type { BacklogItem } from "@multiverse/protocol/backlog";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** What a person looks at first: open items, the most urgent and then the oldest. */
export function openItems(state: WorkspaceState): BacklogItem[] {
  return [...state.backlog.values()]
    .filter((item) => item.resolvedAt === null)
    .sort((a, b) => b.priority - a.priority || (a.createdAt < b.createdAt ? -1 : 1));
}

export function resolvedItems(state: WorkspaceState): BacklogItem[] {
  return [...state.backlog.values()]
    .filter((item) => item.resolvedAt !== null)
    .sort((a, b) => ((a.resolvedAt ?? "") < (b.resolvedAt ?? "") ? 1 : -1));
}

/** The unfinished tasks that can go on, directly or one after another, once an item is settled. */
export function unblocks(state: WorkspaceState, item: BacklogItem): string[] {
  if (item.taskId === null) return [];
  const start = state.tasks.get(item.taskId)?.nodeId ?? item.taskId;
  const seen = new Set<string>([start]);
  for (const id of seen)
    for (const next of state.index.dependants.get(id) ?? [])
      if (state.tasks.get(next)?.progress !== "succeeded") seen.add(next);
  seen.delete(start);
  return [...seen];
}

/** Answers a question offers, as its metadata carries them. */
export function optionsOf(item: BacklogItem): string[] {
  const options = item.metadata["options"];
  return Array.isArray(options) ? options.filter((o): o is string => typeof o === "string") : [];
}
