import { Settings } from "@multiverse/protocol/settings";

/** The general settings as a form holds them: sizes in MiB, hosts one a line, null where a field is empty. */
export interface GeneralForm {
  parallel: Settings["parallel"];
  maxParallel: number | null;
  logMiB: number | null;
  keepAttempts: number | null;
  language: NonNullable<Settings["language"]> | "";
  hosts: string;
}

const MIB = 1_048_576;

export const toGeneralForm = (settings: Settings): GeneralForm => ({
  parallel: settings.parallel,
  maxParallel: settings.maxParallel ?? null,
  logMiB: settings.logCapBytes / MIB,
  keepAttempts: settings.keepAttempts,
  language: settings.language ?? "",
  hosts: settings.allowPrivateHosts.join("\n"),
});

const FIELD_OF: Readonly<Record<string, keyof GeneralForm>> = {
  maxParallel: "maxParallel",
  logCapBytes: "logMiB",
  keepAttempts: "keepAttempts",
  allowPrivateHosts: "hosts",
};

interface Reading {
  readonly settings: Settings | null;
  readonly wrong: ReadonlySet<keyof GeneralForm>;
}

/** What the form says, or which of its fields cannot be meant. An empty field stands for the default. */
export function readGeneralForm(form: GeneralForm): Reading {
  const parsed = Settings.safeParse({
    parallel: form.parallel,
    ...(form.maxParallel !== null && { maxParallel: form.maxParallel }),
    ...(form.logMiB !== null && { logCapBytes: Math.round(form.logMiB * MIB) }),
    ...(form.keepAttempts !== null && { keepAttempts: form.keepAttempts }),
    ...(form.language !== "" && { language: form.language }),
    allowPrivateHosts: form.hosts
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  });
  if (parsed.success) return { settings: parsed.data, wrong: new Set() };
  const fields = parsed.error.issues.flatMap(({ path }) => FIELD_OF[String(path[0])] ?? []);
  return { settings: null, wrong: new Set(fields) };
}
