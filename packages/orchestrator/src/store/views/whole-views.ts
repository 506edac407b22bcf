import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { Task } from "@multiverse/protocol/task";
import type { AgentSlot } from "../workspace.ts";
import { planOrder, wbsEntry, wbsHeader } from "./design-views.ts";
import { agentEntries, runtimeEntry, taskEntry, testEntry } from "./state-views.ts";

/** The files that hold everything of a kind. One record a line, so that a change is a small diff. */
export const WHOLE_VIEWS = [
  "design/wbs.json",
  "state/tasks.json",
  "state/nodes-runtime.json",
  "state/agents.json",
  "state/tests.json",
] as const;
export type WholeView = (typeof WHOLE_VIEWS)[number];

/** Records per slice of work, so that a large plan does not hold up everyone else. */
const SLICE = 250;

/**
 * Writes the texts of whole-file views. A record's text is kept with the record itself (records are immutable), so that
 * writing the file again costs a lookup per record and the text of those that changed.
 */
export class WholeViews {
  private readonly texts = new WeakMap<object, { readonly key: string; readonly text: string }>();
  private readonly pause: () => Promise<void>;

  constructor(pause: () => Promise<void>) {
    this.pause = pause;
  }

  async text(
    view: WholeView,
    state: WorkspaceState,
    now: number,
    agents: readonly AgentSlot[],
  ): Promise<string> {
    switch (view) {
      case "design/wbs.json": {
        const header = JSON.stringify(wbsHeader(state)).slice(0, -1);
        const nodes = await this.lines(planOrder(state), (node) =>
          this.cached(node, "", () => wbsEntry(node)),
        );
        return `${header},"node_index":[\n${nodes}\n]}\n`;
      }
      case "state/tasks.json": {
        const tasks = await this.lines(byId(state.tasks.values()), (task) =>
          this.taskText(state, task, now),
        );
        return `{"tasks":[\n${tasks}\n],"queue_meta":${JSON.stringify(queueMeta(state))}}\n`;
      }
      case "state/nodes-runtime.json": {
        const sorted = [...state.runtimes.values()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
        const nodes = await this.lines(sorted, (runtime) =>
          this.cached(runtime, "", () => runtimeEntry(runtime)),
        );
        return `{"nodes":[\n${nodes}\n]}\n`;
      }
      case "state/agents.json":
        return `${JSON.stringify({ agents: agentEntries(state, agents) }, null, 2)}\n`;
      case "state/tests.json": {
        const sorted = [...state.tests.values()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
        const tests = await this.lines(sorted, (test) =>
          this.cached(test, "", () => testEntry(test)),
        );
        return `{"node_tests":[\n${tests}\n]}\n`;
      }
    }
  }

  private taskText(state: WorkspaceState, task: Task, now: number): string {
    const node = state.nodes.get(task.nodeId);
    const status = statusOf(state, task, now);
    return this.cached(task, `${status} ${node?.updatedAt ?? ""}`, () =>
      taskEntry(task, node, status),
    );
  }

  private cached(record: object, key: string, entry: () => unknown): string {
    const known = this.texts.get(record);
    if (known?.key === key) return known.text;
    const text = JSON.stringify(entry());
    this.texts.set(record, { key, text });
    return text;
  }

  private async lines<T>(records: Iterable<T>, text: (record: T) => string): Promise<string> {
    const lines: string[] = [];
    for (const record of records) {
      lines.push(text(record));
      if (lines.length % SLICE === 0) await this.pause();
    }
    return lines.join(",\n");
  }
}

const byId = (tasks: Iterable<Task>): Task[] => [...tasks].sort((a, b) => (a.id < b.id ? -1 : 1));

function queueMeta(state: WorkspaceState): {
  last_scheduled_at: string | null;
  next_task_id_seq: number;
} {
  let last: string | null = null;
  for (const { startedAt } of state.tasks.values())
    if (startedAt && (!last || startedAt > last)) last = startedAt;
  return { last_scheduled_at: last, next_task_id_seq: state.nextTaskNumber };
}
