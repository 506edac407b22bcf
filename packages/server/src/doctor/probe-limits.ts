import type { DoctorCheck } from "@multiverse/protocol/http/responses";
import { Settings } from "@multiverse/protocol/settings";
import type { SettingsFiles } from "../settings.ts";

/** What is kept of old work and what is cleaned away, so that nobody has to guess where disk and old logs went. */
export async function probeLimits(files: SettingsFiles): Promise<DoctorCheck> {
  const settings = (await files.general.read().catch(() => null)) ?? Settings.parse({});
  const { keepAttempts, logCapBytes } = settings;
  const log = `${(logCapBytes / 1_048_576).toFixed(1).replace(/\.0$/, "")} MiB`;
  return {
    id: "limits",
    title: "Clean-up",
    status: "ok",
    detail:
      `keeps folders and logs of the newest ${keepAttempts} attempts of a workspace (keepAttempts), ` +
      `each log up to ${log} (logCapBytes); containers of dead runs are removed at once`,
    hint: "",
  };
}
