import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/paths.mjs";
import { findDockerEngine, type DockerEngine } from "./docker.ts";
import { isMissing } from "./skips.ts";

export interface StartedEngine extends DockerEngine {
  /** Ends the engine, if it was started here. */
  readonly stop: () => Promise<void>;
}

const logFile = join(root, "test-results/dockerd.log");

/** The engine that runs here, or one started for this run. For CI machines: it needs root and docker.io. */
export async function startDockerEngine(): Promise<StartedEngine> {
  const running = await findDockerEngine();
  if (!isMissing(running)) return { ...running, stop: async () => {} };
  mkdirSync(join(root, "test-results"), { recursive: true });
  const log = openSync(logFile, "a");
  const dockerd = spawn("dockerd", [], { stdio: ["ignore", log, log] });
  const ended = once(dockerd, "close");
  const engine = await Promise.race([untilItAnswers(), ended.then(() => undefined)]);
  if (engine === undefined) {
    dockerd.kill();
    throw new Error(`dockerd did not start:\n${readFileSync(logFile, "utf8").slice(-2000)}`);
  }
  return {
    ...engine,
    stop: async () => {
      dockerd.kill();
      await ended;
    },
  };
}

async function untilItAnswers(): Promise<DockerEngine | undefined> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const engine = await findDockerEngine();
    if (!isMissing(engine)) return engine;
    await sleep(200);
  }
  return undefined;
}
