import { toolingWarnings } from "@multiverse/agents/tooling/validate";
import { errorBody } from "@multiverse/protocol/error";
import type { DoctorCheck } from "@multiverse/protocol/http/responses";
import type { SettingsFiles } from "../settings.ts";

/** Whether the settings can be understood and name what is known; what cannot be read is left alone, and the defaults are used. */
export async function probeSettings(files: SettingsFiles): Promise<DoctorCheck> {
  const tooling = files.tooling.read();
  const read = await Promise.allSettled([files.llm.read(), tooling, files.general.read()]);
  const problems = read.flatMap((answer) =>
    answer.status === "rejected" ? [errorBody(answer.reason).error] : [],
  );
  const odd = await tooling.then(
    (value) => (value ? toolingWarnings(value) : []),
    () => [], // said above
  );
  const details = [
    ...problems.map(({ message }) => message),
    ...odd.map(({ path, message }) => `tooling.json, ${path}: ${message}`),
  ];
  return {
    id: "settings",
    title: "Settings",
    status: details.length === 0 ? "ok" : "warning",
    detail: details.join("; ") || "all files can be understood",
    hint:
      problems[0]?.hint ??
      (odd.length > 0 ? "Correct it if it is a slip; it is tried as it is." : ""),
  };
}
