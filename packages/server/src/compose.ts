import type { Logger } from "@multiverse/agents/log";
import type { DoctorReport } from "@multiverse/protocol/http/responses";
import { Settings } from "@multiverse/protocol/settings";
import { createDoctor } from "./doctor/doctor.ts";
import type { Environment } from "./environment.ts";
import type { Home } from "./home.ts";
import { openOne } from "./open-one.ts";
import type { ServerPorts } from "./ports.ts";
import { createSettings, type SettingsFiles } from "./settings.ts";
import { createTools, type Tools } from "./tools.ts";
import type { Tracing } from "./tracing.ts";
import { createWorkspaces, type Workspaces } from "./workspaces.ts";

export interface ComposeOptions {
  readonly home: Home;
  readonly environment: Environment;
  readonly log: Logger;
  readonly demo: boolean;
  readonly ports: ServerPorts;
  readonly tracing: Tracing;
  /** Where this process can be reached, for whoever finds a workspace taken; null if it does not listen. */
  readonly url: string | null;
  readonly onFatal: (error: Error) => void;
  readonly onClosed: (workspaceId: string) => void;
}

/** Everything but the listening: settings, tools and workspaces, put together. */
export interface Composition {
  readonly settings: SettingsFiles;
  readonly tools: Tools;
  readonly workspaces: Workspaces;
  readonly doctor: () => Promise<DoctorReport>;
}

/** Long enough to read the question, short enough for an unattended demo to finish in about a minute. */
const DEMO_ANSWER_MS = 15_000;

export async function compose(options: ComposeOptions): Promise<Composition> {
  const { home, environment, log, demo, ports } = options;
  const files = createSettings(home);
  const tools = createTools({ environment, settings: files, demo, ask: ports.ask });
  const live = await liveSettings(files, tools, demo, log);
  const workspaces = createWorkspaces(home, (root) =>
    openOne(root, {
      home,
      url: options.url,
      log,
      planPatch: (...request) => ports.planPatch(live.task(), ...request),
      runs: ports.runs,
      tracing: options.tracing,
      runEnv: live.runEnv,
      settings: live.general,
      taskSettings: live.task,
      defaultAnswerMs: demo ? DEMO_ANSWER_MS : null,
      onFatal: options.onFatal,
      onClosed: options.onClosed,
    }),
  );
  const doctor = createDoctor({ environment, home: home.root, tools, demo });
  return { settings: live.watched, tools, workspaces, doctor };
}

/** Settings as the scheduler asks for them, at once; read at the start and whenever someone changes them. */
async function liveSettings(files: SettingsFiles, tools: Tools, demo: boolean, log: Logger) {
  const orDefault = async <T>(read: Promise<T | null>): Promise<T | null> =>
    read.catch((error: unknown) => {
      log.warn("a settings file is left alone and the defaults are used", { error });
      return null;
    });
  let general = (await orDefault(files.general.read())) ?? Settings.parse({});
  let llm = await tools.llm();
  let tooling = demo ? null : await orDefault(files.tooling.read());
  const watched: SettingsFiles = {
    general: {
      ...files.general,
      write: async (value) => {
        await files.general.write(value);
        general = value;
      },
    },
    llm: {
      ...files.llm,
      write: async (value) => {
        await files.llm.write(value);
        llm = await tools.llm();
      },
    },
    tooling: {
      ...files.tooling,
      write: async (value) => {
        await files.tooling.write(value);
        if (!demo) tooling = value;
      },
    },
  };
  return {
    watched,
    general: () => general,
    /** What a run is told by variables, because its task file has no words for it. */
    runEnv: (): Record<string, string> => ({
      ...(llm.baseUrl === undefined ? {} : { OPENAI_BASE_URL: llm.baseUrl }),
      ...(general.allowPrivateHosts.length === 0
        ? {}
        : { MULTIVERSE_ALLOW_PRIVATE_HOSTS: general.allowPrivateHosts.join(",") }),
    }),
    task: () => ({
      llm,
      tooling,
      workerKind: demo ? "mock" : "codex-cli",
      noteLanguage: general.language ?? ("ja" as const),
    }),
  };
}
