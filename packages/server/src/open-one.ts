import { systemClock } from "@multiverse/agents/system-clock";
import type { Logger } from "@multiverse/agents/log";
import { createOrchestrator } from "@multiverse/orchestrator/create-orchestrator";
import type { LoopSettings } from "@multiverse/orchestrator/execute/loop";
import type { Ports } from "@multiverse/orchestrator/ports";
import { serveQueue } from "@multiverse/orchestrator/queue/serve-queue";
import { openWorkspace } from "@multiverse/orchestrator/store/open-workspace";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import type { Settings } from "@multiverse/protocol/settings";
import { agentSlots, readCapacity } from "./capacity.ts";
import type { Home } from "./home.ts";
import { keepHouse } from "./keep-house.ts";
import type { RunPlace, Runs } from "./run-task.ts";
import { createFeed } from "./socket/feed.ts";
import { newId } from "./new-id.ts";
import { traceAttempts } from "./trace-attempts.ts";
import { traceRuns } from "./trace-runs.ts";
import type { Tracing } from "./tracing.ts";
import type { OpenWorkspace } from "./workspaces.ts";

export interface OpenOneOptions {
  readonly home: Home;
  readonly url: string | null;
  readonly log: Logger;
  readonly planPatch: Ports["planPatch"];
  readonly runs: (place: RunPlace) => Runs;
  readonly uncommitted: (projectRoot: string) => Promise<readonly string[] | null>;
  readonly tracing: Tracing;
  readonly runEnv: () => Readonly<Record<string, string>>;
  readonly settings: () => Settings;
  readonly taskSettings: () => Omit<LoopSettings, "parallel">;
  readonly defaultAnswerMs: () => number | null;
  /** Takes away what dead runs of the workspace have left. */
  readonly cleanUp: (workspaceId: string) => Promise<unknown>;
  readonly onFatal: (error: Error) => void;
  readonly onClosed: (workspaceId: string) => void;
}

/** Where the parts of one workspace meet: its store, its orchestrator, its runs and its live stream. */
export async function openOne(
  projectRoot: string,
  options: OpenOneOptions,
): Promise<OpenWorkspace> {
  const log = options.log.withComponent("workspace");
  const workspace = await openWorkspace({
    home: options.home.root,
    projectRoot,
    clock: systemClock,
    newId,
    ...(options.url === null ? {} : { url: options.url }),
    onFatal: options.onFatal,
    onProblem: (message, error) => log.warn(message, { projectRoot, error }),
  });
  try {
    return await wire(workspace, options, log);
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

async function wire(
  workspace: Workspace,
  options: OpenOneOptions,
  log: Logger,
): Promise<OpenWorkspace> {
  const { id, dir } = workspace;
  const leaveHouse = house(workspace, options, log);
  const feed = createFeed(workspace);
  const untrace = traceAttempts(workspace, options.tracing);
  const place = {
    dir,
    workspaceId: id,
    projectRoot: workspace.projectRoot,
    runEnv: options.runEnv,
    logCapBytes: () => options.settings().logCapBytes,
  };
  const runs = traceRuns(options.runs(place), options.tracing);
  const capacity = await readCapacity(dir, options.settings, log);
  workspace.setAgents(agentSlots(capacity()));
  const ports: Ports = {
    planPatch: options.planPatch,
    runs,
    uncommitted: () => options.uncommitted(workspace.projectRoot),
    clock: systemClock,
    newId,
    random: Math.random,
    signal: (signal) => feed.signal(signal),
    log: (level, message, fields) => log[level](message, { workspaceId: id, ...fields }),
  };
  const orchestrator = createOrchestrator({
    workspace,
    ports,
    capacity,
    settings: () => ({ ...options.taskSettings(), parallel: options.settings().parallel }),
    defaultAnswerMs: options.defaultAnswerMs,
  });
  const queue = workspace.damage ? null : await serveQueue(workspace, orchestrator, ports);
  return {
    workspace,
    orchestrator,
    feed,
    get capacity() {
      return capacity();
    },
    pidOf: runs.pidOf,
    async close(how) {
      await queue?.close();
      await orchestrator.close(how);
      leaveHouse();
      feed.close();
      untrace();
      options.onClosed(id);
      await workspace.close();
    },
  };
}

const house = (
  workspace: Workspace,
  { settings, cleanUp }: OpenOneOptions,
  log: Logger,
): (() => void) =>
  keepHouse({
    workspace,
    keepAttempts: () => settings().keepAttempts,
    cleanUp,
    clock: systemClock,
    log,
  });
