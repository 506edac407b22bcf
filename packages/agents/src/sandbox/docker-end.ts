import { setTimeout as sleep } from "node:timers/promises";
import { MultiverseError } from "@multiverse/protocol/error";
import { ContainerState } from "../docker/answers.ts";
import type { Engine } from "../docker/engine.ts";
import { EngineAnswer } from "../docker/errors.ts";
import { startExec } from "../docker/exec.ts";
import type { ExecEnd } from "./sandbox.ts";

const KILLED = 137;
const SETTLE_MS = 3_000;
const PAUSE_MS = 100;

export interface End {
  readonly end: ExecEnd;
  readonly detail?: string;
}

/** What an exit code, or the lack of one, really was: an end of its own, no memory left, or a sandbox that went away. */
export async function explainEnd(
  engine: Engine,
  container: string,
  exitCode: number | null,
  oom: { count: number },
): Promise<End> {
  if (exitCode !== null && exitCode !== KILLED) return { end: "exited" };
  const giveUp = performance.now() + SETTLE_MS;
  for (;;) {
    const state = await stateOf(engine, container);
    if (typeof state === "string") return { end: "lost", detail: state };
    if (state.OOMKilled) return { end: "oom" };
    if (!state.Running) {
      const detail = `the container was stopped from outside (exit code ${state.ExitCode})`;
      return { end: "lost", detail };
    }
    const kills = await oomKills(engine, container);
    if (kills !== null) {
      const before = oom.count;
      oom.count = kills;
      if (kills > before) return { end: "oom" };
      if (exitCode !== null) return { end: "exited" };
    }
    // It says that it runs, but does not answer: it is being taken away, or the engine is.
    if (performance.now() > giveUp) break;
    await sleep(PAUSE_MS);
  }
  if (exitCode !== null) return { end: "exited" };
  const detail = "Docker lost track of the command: it was restarted, or its connection broke";
  return { end: "lost", detail };
}

async function stateOf(engine: Engine, container: string) {
  try {
    return ContainerState.parse(
      await engine.call("GET", `/containers/${container}/json`, { timeoutMs: 10_000 }),
    ).State;
  } catch (error) {
    if (error instanceof EngineAnswer && error.status === 404)
      return "the container was removed from outside";
    if (error instanceof MultiverseError)
      return "Docker stopped or was restarted while the command ran";
    throw error;
  }
}

/** How often the kernel has killed for want of memory in this container (both kinds of accounts); null = no answer. */
async function oomKills(engine: Engine, container: string): Promise<number | null> {
  const files = "/sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control";
  let count = 0;
  try {
    const exec = await startExec(engine, container, {
      argv: ["sh", "-c", `cat ${files} 2>/dev/null; true`],
      stdin: "",
      onLine({ line }) {
        const kills = /^oom_kill (\d+)$/.exec(line)?.[1];
        if (kills !== undefined) count = Number(kills);
      },
    });
    return (await exec.done) === 0 ? count : null;
  } catch {
    return null;
  }
}
