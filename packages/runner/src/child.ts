import { spawnDetached } from "@multiverse/agents/detached";
import type { DetachedProcess } from "@multiverse/agents/detached";
import { isAlive, killGroup } from "@multiverse/agents/process-group";

export interface StartRun {
  /** The Task YAML: the run reads it as its standard input. */
  readonly taskPath: string;
  /** The project: the task's repo "." is resolved here. */
  readonly cwd: string;
  readonly eventsPath: string;
  readonly stderrPath: string;
  readonly resultPath?: string;
  /** The whole environment of the run; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** dist/agent-runner.mjs */
  readonly runnerPath: string;
  readonly args?: readonly string[];
}

/** Which process a run is. The start time tells it from a later process with the same pid. */
export interface RunProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** Starts agent-runner as a process that outlives us: own session, events and stderr into files. */
export function startRun(run: StartRun): Promise<DetachedProcess> {
  const result = run.resultPath === undefined ? [] : ["--result", run.resultPath];
  const args = [run.runnerPath, "--events", run.eventsPath, ...result, ...(run.args ?? [])];
  return spawnDetached(process.execPath, args, {
    cwd: run.cwd,
    env: run.env,
    stdinFile: run.taskPath,
    stderr: run.stderrPath,
  });
}

export const isRunAlive = ({ pid, startTime }: RunProcess): boolean => isAlive(pid, startTime);

const POLL_MS = 50;

/**
 * Asks a run to stop and waits until it is gone: it removes its sandbox and writes its note first. After `graceMs` it is
 * killed with its group. True if it ended by itself.
 */
export async function stopRun(run: RunProcess, graceMs = 12_000): Promise<boolean> {
  if (!isRunAlive(run)) return true;
  // To the runner alone: what it started has groups of its own and is stopped by it, in order.
  process.kill(run.pid, "SIGTERM");
  if (await isGoneWithin(run, graceMs)) return true;
  killGroup(run.pid, "SIGKILL");
  await isGoneWithin(run, 2_000);
  return false;
}

async function isGoneWithin(run: RunProcess, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isRunAlive(run)) {
    if (performance.now() >= deadline) return false;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  return true;
}
