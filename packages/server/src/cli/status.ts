import { requireServer } from "../client.ts";
import type { CliContext } from "./context.ts";
import { pickWorkspace, type WorkspaceFlags } from "./pick-workspace.ts";
import { summaryLine, taskLine } from "./task-lines.ts";
import { safeText } from "./terminal.ts";

/** `multiverse status`: what the plan is, what runs, what waits for a person. */
export async function status(
  context: CliContext,
  flags: WorkspaceFlags & { readonly json?: boolean },
): Promise<number> {
  const { terminal } = context;
  const client = await requireServer(context.home);
  const workspace = await pickWorkspace(context, client, flags);
  const api = client.api.inWorkspace(workspace.id);
  const [{ tasks }, execution, { items }] = await Promise.all([
    api.tasks(),
    api.execution(),
    api.backlog(),
  ]);
  if (flags.json) {
    terminal.out(`${JSON.stringify({ workspace, execution, tasks, backlog: items })}\n`);
    return 0;
  }
  const paused = execution.pausedFor ? ` (${execution.pausedFor})` : "";
  terminal.out(`${workspace.projectRoot}  ${execution.status.toLowerCase()}${paused}\n`);
  for (const task of tasks) {
    const held = task.status === "READY" ? task.heldBecause : null; // idle or paused stands above
    const why = task.blockedBecause ?? task.retryReason ?? held ?? "";
    terminal.out(`${taskLine(terminal, task.status, `${task.id}  ${task.title}`, why)}\n`);
  }
  terminal.out(`${summaryLine(tasks.map((task) => task.status))}\n`);
  for (const item of items)
    terminal.out(
      `? ${item.id}  ${safeText(item.title, false)}\n  answer: multiverse answer ${item.id} "…"\n`,
    );
  if (workspace.damage) terminal.err(`read-only: ${workspace.damage}\n`);
  return 0;
}
