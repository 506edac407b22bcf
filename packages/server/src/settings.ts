import { join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { LlmSettings, Settings } from "@multiverse/protocol/settings";
import { Tooling } from "@multiverse/protocol/tooling";
import type { z } from "zod";
import type { Home } from "./home.ts";
import { parseJson } from "./json-text.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** One file of config/, checked on the way in and out. */
export interface SettingsFile<T> {
  /** Null if nobody has set anything yet. A file that cannot be understood is kept as it is and reported. */
  read(): Promise<T | null>;
  write(value: T): Promise<void>;
}

export interface SettingsFiles {
  readonly llm: SettingsFile<LlmSettings>;
  readonly tooling: SettingsFile<Tooling>;
  readonly general: SettingsFile<Settings>;
}

export const createSettings = (home: Home): SettingsFiles => ({
  llm: settingsFile(join(home.config, "llm.json"), LlmSettings),
  tooling: settingsFile(join(home.config, "tooling.json"), Tooling),
  general: settingsFile(join(home.config, "settings.json"), Settings),
});

function settingsFile<S extends z.ZodType>(path: string, schema: S): SettingsFile<z.output<S>> {
  return {
    async read() {
      const text = await readPrivateFile(path);
      if (text === null) return null;
      const parsed = schema.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      const issue = parsed.error.issues[0];
      throw new MultiverseError(
        "INVALID_INPUT",
        `${path} cannot be understood: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(" ")}`,
        { hint: "Correct the file or move it away; it is left as it is until someone does." },
      );
    },
    write: (value) => writePrivateFile(path, `${JSON.stringify(value, null, 2)}\n`),
  };
}
