import type { Logger } from "@multiverse/agents/log";
import { SHIPPED_TOOLING } from "@multiverse/agents/tooling/profiles";
import type { TaskSpecSettings } from "@multiverse/orchestrator/execute/task-spec";
import { Settings, type LlmSettings } from "@multiverse/protocol/settings";
import type { Tooling } from "@multiverse/protocol/tooling";
import type { SettingsFiles } from "./settings.ts";
import type { Tools } from "./tools.ts";

/** Settings as the scheduler asks for them, at once; read at the start and whenever someone changes them. */
export interface LiveSettings {
  /** The files, with a change heard here. */
  readonly watched: SettingsFiles;
  readonly general: () => Settings;
  readonly task: () => TaskSpecSettings;
  /** What a run is told by variables, because its task file has no words for it. */
  readonly runEnv: () => Record<string, string>;
}

export async function liveSettings(
  files: SettingsFiles,
  tools: Tools,
  demo: () => boolean,
  log: Logger,
  onChosen: (llm: LlmSettings) => void,
): Promise<LiveSettings> {
  const orNull = <T>(read: Promise<T | null>): Promise<T | null> =>
    read.catch((error: unknown) => {
      log.warn("a settings file is left alone and the defaults are used", { error });
      return null;
    });
  let general = (await orNull(files.general.read())) ?? Settings.parse({});
  let llm = await tools.llm();
  let tooling = (await orNull(files.tooling.read())) ?? usualWorkers;
  const onLlm = async (value: LlmSettings): Promise<void> => {
    await files.llm.write(value);
    onChosen(value);
    llm = await tools.llm();
  };
  const onTooling = async (value: Tooling): Promise<void> => {
    await files.tooling.write(value);
    tooling = value;
  };
  const onGeneral = async (value: Settings): Promise<void> => {
    await files.general.write(value);
    general = value;
  };
  return {
    watched: {
      llm: { ...files.llm, write: onLlm },
      tooling: { ...files.tooling, write: onTooling },
      general: { ...files.general, write: onGeneral },
    },
    general: () => general,
    task: () => ({
      llm,
      tooling: demo() ? null : tooling,
      workerKind: demo() ? "mock" : "codex-cli",
      noteLanguage: general.language ?? "ja",
    }),
    runEnv: () => ({
      ...(llm.baseUrl === undefined ? {} : { OPENAI_BASE_URL: llm.baseUrl }),
      ...(general.allowPrivateHosts.length === 0
        ? {}
        : { MULTIVERSE_ALLOW_PRIVATE_HOSTS: general.allowPrivateHosts.join(",") }),
    }),
  };
}

/** Where nobody set anything, the LLM settings say who plans, and whichever coding CLI can be used does the work. */
const usualWorkers: Tooling = {
  ...SHIPPED_TOOLING,
  profiles: SHIPPED_TOOLING.profiles.map(({ categories: { worker }, ...profile }) => ({
    ...profile,
    categories: worker ? { worker } : {},
  })),
};
