import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { TaskStatus } from "@multiverse/protocol/task";
import { tasksInPlanOrder } from "@multiverse/protocol/task-view";
import { paint, safeText, type Colour, type Terminal } from "./terminal.ts";
import { cutToWidth } from "./text-width.ts";

const LOOKS: Readonly<Record<TaskStatus, { mark: string; colour: Colour }>> = {
  PENDING: { mark: "·", colour: "dim" },
  READY: { mark: "○", colour: "blue" },
  RUNNING: { mark: "●", colour: "cyan" },
  SUCCEEDED: { mark: "✓", colour: "green" },
  FAILED: { mark: "✗", colour: "red" },
  CANCELED: { mark: "−", colour: "dim" },
  SKIPPED: { mark: "↷", colour: "dim" },
  BLOCKED: { mark: "?", colour: "yellow" },
  RETRY_WAIT: { mark: "↻", colour: "yellow" },
};

/** A task as one line of a terminal. */
export function taskLine(
  terminal: Terminal,
  status: TaskStatus,
  title: string,
  extra = "",
): string {
  const { mark, colour } = LOOKS[status];
  const text = `${status.padEnd(10)} ${safeText(title, false)}${extra ? `  ${safeText(extra, false)}` : ""}`;
  return `${paint(terminal, colour, mark)} ${cutToWidth(text, terminal.columns - 3)}`;
}

/** The plan as lines, with how far it is as the last one. Pure, so that a live view only has to redraw it. */
export function planLines(
  terminal: Terminal,
  state: WorkspaceState,
  now: number,
  rows: number,
): string[] {
  const tasks = tasksInPlanOrder(state).map((task) => {
    const status = statusOf(state, task, now);
    const since = status === "RUNNING" && task.startedAt ? Date.parse(task.startedAt) : null;
    const extra = since === null ? "" : `${Math.max(0, Math.round((now - since) / 1_000))} s`;
    return { status, title: state.nodes.get(task.nodeId)?.title ?? task.id, extra };
  });
  const shown = tasks.length > rows ? tasks.filter(({ status }) => !isQuiet(status)) : tasks;
  const lines = shown
    .slice(0, rows)
    .map(({ status, title, extra }) => taskLine(terminal, status, title, extra));
  return [...lines, summaryLine(tasks.map(({ status }) => status))];
}

const isQuiet = (status: TaskStatus): boolean => status === "SUCCEEDED" || status === "PENDING";

export function summaryLine(statuses: readonly TaskStatus[]): string {
  const counts = new Map<TaskStatus, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} ${status.toLowerCase()}`);
  return statuses.length === 0 ? "no tasks yet" : `${statuses.length} tasks: ${parts.join(", ")}`;
}
