import { join } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import type { Logger } from "@multiverse/agents/log";
import type { Mask } from "@multiverse/agents/secrets";
import type { Environment } from "./environment.ts";
import type { Home } from "./home.ts";
import { createPlanner, createProbe } from "./planner.ts";
import { createRuns } from "./run-task.ts";
import type { ServerPorts } from "./ports.ts";

export interface RealPortsOptions {
  readonly home: Home;
  readonly environment: Environment;
  readonly mask: Mask;
  readonly log: Logger;
  readonly runnerPath: string;
}

/** The real world: models and CLIs for planning, agent-runner processes for the work. */
export function realPorts({
  home,
  environment,
  mask,
  log,
  runnerPath,
}: RealPortsOptions): ServerPorts {
  const { env } = environment;
  const cooldowns = join(home.root, "cooldown");
  const planning = { env, clock: systemClock, mask, log, cooldowns };
  return {
    planPatch: createPlanner(planning),
    ask: createProbe(planning),
    runs: (place) =>
      createRuns({ ...place, runnerPath, env: { ...env, MULTIVERSE_HOME: home.root } }),
  };
}
