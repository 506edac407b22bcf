import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { heldBecause } from "@multiverse/protocol/scheduling/held-because";
import { heldBy } from "@multiverse/protocol/scheduling/held";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { blockedBecause, statusOf } from "@multiverse/protocol/status";
import type { Task, TaskStatus } from "@multiverse/protocol/task";
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
  const text = `${status.padEnd(10)} ${safeText(title, false).replace(/[\t\n]+/g, " ")}${extra ? `  ${safeText(extra, false)}` : ""}`;
  return `${paint(terminal, colour, mark)} ${cutToWidth(text, terminal.columns - 3)}`;
}

/** What a live view shows: the plan at a moment, and what else decides about starts once that is known. */
export interface PlanMoment {
  readonly state: WorkspaceState;
  readonly conditions: Conditions | null;
  readonly now: number;
}

/** The plan as lines, with how far it is as the last one. Pure, so that a live view only has to redraw it. */
export function planLines(terminal: Terminal, moment: PlanMoment, rows: number): string[] {
  const { state, now } = moment;
  const tasks = tasksInPlanOrder(state).map((task) => ({
    task,
    status: statusOf(state, task, now),
  }));
  const shown = tasks.length > rows ? tasks.filter(({ status }) => !isQuiet(status)) : tasks;
  const lines = shown.slice(0, rows).map(({ task, status }) => {
    const title = state.nodes.get(task.nodeId)?.title ?? task.id;
    return taskLine(terminal, status, title, remark(moment, task, status));
  });
  const summary = summaryLine(tasks.map(({ status }) => status));
  return [...lines, cutToWidth(summary, terminal.columns - 1)];
}

/** How long it has been running, or why it is not. */
function remark({ state, now, conditions }: PlanMoment, task: Task, status: TaskStatus): string {
  if (status === "RUNNING" && task.startedAt)
    return `${Math.max(0, Math.round((now - Date.parse(task.startedAt)) / 1_000))} s`;
  if (status === "BLOCKED") return blockedBecause(state, task) ?? "";
  if (status === "RETRY_WAIT") return task.retryReason ?? "";
  if (status !== "READY" || conditions === null) return "";
  const held = heldBy(state, task, conditions, now);
  return held ? heldBecause(held) : "";
}

const isQuiet = (status: TaskStatus): boolean => status === "SUCCEEDED" || status === "PENDING";

export function summaryLine(statuses: readonly TaskStatus[]): string {
  const counts = new Map<TaskStatus, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(([status, count]) => `${count} ${status.toLowerCase()}`);
  return statuses.length === 0
    ? "no tasks yet"
    : `${statuses.length} task${statuses.length === 1 ? "" : "s"}: ${parts.join(", ")}`;
}
