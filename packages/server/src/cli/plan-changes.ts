import { isUndo } from "@multiverse/orchestrator/plan/undo";
import {
  changeTitles,
  type PlanChangeTitles,
  type PlanFact,
} from "@multiverse/protocol/plan-change";
import { safeText } from "./terminal.ts";

/** One change of the plan, as it stands in history. */
export interface ListedChange extends PlanChangeTitles {
  /** The last fact of the change: `--at` this shows the plan after it. */
  readonly seq: number;
  readonly at: string;
  readonly by: string;
}

/** Facts as the changes they were committed as, with the titles that nodes had then. Pure. */
export function planChanges(facts: readonly PlanFact[]): ListedChange[] {
  const titles = new Map<string, string>();
  const changes: ListedChange[] = [];
  for (let from = 0; from < facts.length;) {
    const first = facts[from];
    if (!first) break;
    let to = from;
    while (facts[to]?.tx === first.tx) to += 1;
    const change = facts.slice(from, to);
    changes.push({
      seq: first.seq - first.i + first.n - 1,
      at: first.at,
      by: isUndo(first) ? "undo" : first.by,
      ...changeTitles(change, (id) => titles.get(id) ?? id),
    });
    for (const fact of change) remember(titles, fact);
    from = to;
  }
  return changes;
}

function remember(titles: Map<string, string>, { kind, payload }: PlanFact): void {
  if (kind === "node.created") titles.set(payload.node.id, payload.node.title);
  if (kind === "node.updated" && payload.changes.title !== undefined)
    titles.set(payload.nodeId, payload.changes.title);
}

export const changeLines = (change: ListedChange): string[] => [
  `${change.seq}  ${change.at}  ${safeText(change.by, false)}`,
  ...titleLines(change).map((line) => `  ${line}`),
];

const MARKS = { created: "+", updated: "~", moved: "↕", deleted: "−" } as const;

/** A change as a diff: `+` came, `~` changed, `↕` moved, `−` went. */
export const titleLines = (change: PlanChangeTitles): string[] =>
  (["created", "updated", "moved", "deleted"] as const).flatMap((how) =>
    change[how].map((title) => `${MARKS[how]} ${safeText(title, false).replace(/\s+/g, " ")}`),
  );
