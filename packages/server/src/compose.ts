import { cleanUpContainers } from "@multiverse/agents/sandbox/clean-up";
import type { Logger } from "@multiverse/agents/log";
import { uncommitted } from "@multiverse/runner/tree/uncommitted";
import type { DoctorReport } from "@multiverse/protocol/http/responses";
import { createDoctor } from "./doctor/doctor.ts";
import type { Environment } from "./environment.ts";
import type { Home } from "./home.ts";
import { liveSettings } from "./live-settings.ts";
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
  readonly demo: Demo;
  readonly ports: ServerPorts;
  readonly tracing: Tracing;
  /** Where this process can be reached, for whoever finds a workspace taken; null if it does not listen. */
  readonly url: string | null;
  readonly onFatal: (error: Error) => void;
  readonly onClosed: (workspaceId: string) => void;
}

/** Whether the demo agent does the work. Unless someone insisted on it, choosing a meta-agent ends it. */
export interface Demo {
  readonly on: boolean;
  readonly forced: boolean;
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

/** A tree too large to look at in this time starts without a warning. */
const LOOK_AT_TREE_MS = 5_000;

export async function compose(options: ComposeOptions): Promise<Composition> {
  const { home, environment, log, ports } = options;
  let isDemo = options.demo.on;
  const demo = (): boolean => isDemo;
  const files = createSettings(home);
  const tools = createTools({ environment, settings: files, demo, ask: ports.ask });
  const live = await liveSettings(files, tools, demo, log, (llm) => {
    if (!options.demo.forced) isDemo = llm.kind === "mock";
  });
  const workspaces = createWorkspaces(home, (root) =>
    openOne(root, {
      home,
      url: options.url,
      log,
      planPatch: (...request) => ports.planPatch(live.task(), ...request),
      runs: ports.runs,
      uncommitted: (projectRoot) =>
        uncommitted(projectRoot, environment.path, AbortSignal.timeout(LOOK_AT_TREE_MS)),
      tracing: options.tracing,
      runEnv: live.runEnv,
      settings: live.general,
      taskSettings: live.task,
      defaultAnswerMs: () => (demo() ? DEMO_ANSWER_MS : null),
      cleanUp: (id) => cleanUpContainers(id, environment.env, environment.homeFolder),
      onFatal: options.onFatal,
      onClosed: options.onClosed,
    }),
  );
  const doctor = createDoctor({ environment, home: home.root, tools, settings: files, demo });
  return { settings: live.watched, tools, workspaces, doctor };
}
