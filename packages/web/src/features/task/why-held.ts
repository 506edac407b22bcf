import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { heldBy, type Held } from "@multiverse/protocol/scheduling/held";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { t, words } from "../../i18n/i18n.svelte.ts";
import { clockTime } from "../../text/format.ts";

/** Why a task that could run does not run yet, in the person's language; empty when nothing holds it back. */
export function whyHeld(
  state: WorkspaceState,
  taskId: string,
  conditions: Conditions | undefined,
  now: number,
): string {
  const task = state.tasks.get(taskId);
  const held = task && conditions ? heldBy(state, task, conditions, now) : null;
  return held ? inWords(held) : "";
}

function inWords(held: Held): string {
  switch (held.why) {
    case "idle":
      return t("held.idle");
    case "paused":
      return t("held.paused");
    case "gate":
      return held.until === null
        ? t("held.probe")
        : t("held.gate", { time: clockTime(held.until, words.language) });
    case "ending":
      return t("held.ending");
    case "other_alone":
      return t("held.otherAlone", { title: held.title });
    case "alone":
      return t("held.alone", { title: held.title });
    case "conflict": {
      const paths = held.paths.slice(0, 2).join(", ");
      return paths === ""
        ? t("held.listed", { title: held.title })
        : t("held.conflict", { title: held.title, paths });
    }
    case "slots":
      return t("held.slots", { total: held.total, limit: t(`held.by.${held.limitedBy}`) });
    case "pool":
      return t("held.pool", { pool: held.poolId, max: held.maxParallel });
    case "agents":
      return t("held.agents", { pool: held.poolId });
    case "capability":
      return t("held.capability", { pool: held.poolId, wanted: held.wanted.join(", ") });
  }
}
