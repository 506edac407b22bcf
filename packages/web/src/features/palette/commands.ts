import type { ExecutionAction } from "@multiverse/protocol/http/requests";
import { t, words, type MessageKey } from "../../i18n/i18n.svelte.ts";
import { SETTINGS_TABS, type Ide } from "../../ide.svelte.ts";
import { prefs } from "../../prefs.svelte.ts";
import { navigate } from "../../route.svelte.ts";
import { attempt } from "../../ui/toasts.svelte.ts";
import { focusPlace } from "../shortcuts/places.ts";

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly run: () => void;
}

/** Everything one can do from the keyboard, by name. */
export function commands(ide: Ide): Command[] {
  const { api } = ide.workspace;
  const command = (key: MessageKey, note: string, run: () => void): Command => ({
    id: key,
    label: t(key),
    note,
    run,
  });
  const execution = (action: ExecutionAction) =>
    command(`execution.${action}`, "", () => void attempt(() => api.setExecution(action)));
  return [
    command("go.chat", "g c", () => focusPlace(ide, "chat")),
    command("go.graph", "g g", () => focusPlace(ide, "graph")),
    command("go.plan", "g p", () => focusPlace(ide, "plan")),
    command("go.log", "g l", () => focusPlace(ide, "log")),
    command("go.backlog", "g b", () => focusPlace(ide, "backlog")),
    command("go.activity", "g a", () => focusPlace(ide, "activity")),
    command("go.history", "g h", () => focusPlace(ide, "history")),
    command("facet.text", "/", () => focusPlace(ide, "filter")),
    execution("start"),
    execution("pause"),
    execution("resume"),
    execution("stop"),
    command("history.undo", "", () => void attempt(() => api.undo())),
    command("history.take", "", () => void attempt(() => api.createSnapshot())),
    command("settings.title", "g s", () => (ide.overlay = "settings")),
    ...SETTINGS_TABS.map((tab) => ({
      id: `settings.${tab}`,
      label: t("settings.one", { name: t(`settings.${tab}`) }),
      note: "",
      run: () => ide.showSettings(tab),
    })),
    command("help.title", "?", () => (ide.overlay = "help")),
    command("theme.toLight", "", () => prefs.set({ theme: "light" })),
    command("theme.toDark", "", () => prefs.set({ theme: "dark" })),
    command("language.switch", "", () =>
      prefs.set({ language: words.language === "en" ? "ja" : "en" }),
    ),
    command("workspace.all", "", () => navigate(null)),
  ];
}
