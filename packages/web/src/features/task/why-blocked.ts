import type { WorkspaceState } from "@multiverse/protocol/state";
import { blockers } from "@multiverse/protocol/status";
import { t } from "../../i18n/i18n.svelte.ts";

/** Why a task does not start, in the person's language; empty when nothing holds it back. */
export function whyBlocked(state: WorkspaceState, taskId: string): string {
  const task = state.tasks.get(taskId);
  if (task?.progress !== "waiting") return "";
  if (task.waitingFor)
    return t("blocked.answer", { title: state.backlog.get(task.waitingFor)?.title ?? "" });
  const all = blockers(state, task);
  const stuck = all.filter((blocker) => blocker.stuck);
  const named = stuck.length > 0 ? stuck : all;
  if (named.length === 0) return "";
  const list = named.slice(0, 2).map(({ title, why }) => `${title} (${t(`why.${why}`)})`);
  const more = named.length - list.length;
  return t("blocked.because", { list: list.join(", ") + (more > 0 ? ` +${more}` : "") });
}
