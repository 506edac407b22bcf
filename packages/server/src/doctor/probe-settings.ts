import { errorBody } from "@multiverse/protocol/error";
import type { DoctorCheck } from "@multiverse/protocol/http/responses";
import type { SettingsFiles } from "../settings.ts";

/** Whether the settings can be understood; a file that cannot is left alone, and the defaults are used. */
export async function probeSettings(files: SettingsFiles): Promise<DoctorCheck> {
  const read = await Promise.allSettled([
    files.llm.read(),
    files.tooling.read(),
    files.general.read(),
  ]);
  const problems = read.flatMap((answer) =>
    answer.status === "rejected" ? [errorBody(answer.reason).error] : [],
  );
  return {
    id: "settings",
    title: "Settings",
    status: problems.length === 0 ? "ok" : "warning",
    detail: problems.map(({ message }) => message).join("; ") || "all files can be understood",
    hint: problems[0]?.hint ?? "",
  };
}
