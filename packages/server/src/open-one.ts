import { availableParallelism, freemem } from "node:os";
import { join } from "node:path";
import type { Logger } from "@multiverse/agents/log";
import { createOrchestrator } from "@multiverse/orchestrator/create-orchestrator";
import { defaultPools, defaultTotal, type Capacity } from "@multiverse/orchestrator/execute/slots";
import type { LoopSettings } from "@multiverse/orchestrator/execute/loop";
import type { Ports } from "@multiverse/orchestrator/ports";
import { openWorkspace } from "@multiverse/orchestrator/store/open-workspace";
import { toCamel } from "@multiverse/protocol/case";
import type { Settings } from "@multiverse/protocol/settings";
import { WorkerPools } from "@multiverse/protocol/worker-pools";
import { readSmall } from "./files/read-beneath.ts";
import type { Home } from "./home.ts";
import { parseJson } from "./json-text.ts";
import type { RunPlace, Runs } from "./run-task.ts";
import { createFeed } from "./socket/feed.ts";
import { newId, systemClock } from "./system-clock.ts";
import type { OpenWorkspace } from "./workspaces.ts";

export interface OpenOneOptions {
  readonly home: Home;
  readonly url: string;
  readonly log: Logger;
  readonly planPatch: Ports["planPatch"];
  runs(place: RunPlace): Runs;
  readonly settings: () => Settings;
  readonly taskSettings: () => Omit<LoopSettings, "parallel">;
  readonly defaultAnswerMs: number | null;
  onFatal(error: Error): void;
  onClosed(workspaceId: string): void;
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
    url: options.url,
    onFatal: options.onFatal,
    onProblem: (message, error) => log.warn(message, { workspaceId: workspace.id, error }),
  });
  const { id, dir } = workspace;
  const feed = createFeed(workspace);
  const runs = options.runs({
    dir,
    workspaceId: id,
    projectRoot: workspace.projectRoot,
    logCapBytes: () => options.settings().logCapBytes,
  });
  const pools = await poolsOf(dir, log);
  const capacity = (): Capacity => ({
    total: options.settings().maxParallel ?? defaultTotal(availableParallelism(), freemem()),
    pools,
    defaultAgent: "local",
  });
  const orchestrator = createOrchestrator({
    workspace,
    ports: {
      planPatch: options.planPatch,
      runs,
      clock: systemClock,
      newId,
      random: Math.random,
      signal: (signal) => feed.signal(signal),
      log: (level, message, fields) => log[level](message, { workspaceId: id, ...fields }),
    },
    capacity,
    settings: () => ({ ...options.taskSettings(), parallel: options.settings().parallel }),
    defaultAnswerMs: options.defaultAnswerMs,
  });
  return {
    workspace,
    orchestrator,
    feed,
    get capacity() {
      return capacity();
    },
    pidOf: runs.pidOf,
    async close(how) {
      await orchestrator.close(how);
      feed.close();
      options.onClosed(id);
      await workspace.close();
    },
  };
}

/** worker-pools.json, written by people; without one, or with one that cannot be understood, the usual pools. */
async function poolsOf(dir: string, log: Logger): Promise<Capacity["pools"]> {
  const text = await readSmall(dir, "worker-pools.json");
  if (text === null) return defaultPools;
  const parsed = WorkerPools.safeParse(parseJson(text));
  if (parsed.success) return toCamel(parsed.data).pools;
  log.warn("worker-pools.json cannot be understood; the usual pools are used", {
    file: join(dir, "worker-pools.json"),
    problem: parsed.error.issues[0]?.message,
  });
  return defaultPools;
}
