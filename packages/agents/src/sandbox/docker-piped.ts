import { setTimeout as sleep } from "node:timers/promises";
import { attachExec, createExec, type ContainerExec, type RunningExec } from "../docker/exec.ts";
import type { Engine } from "../docker/engine.ts";
import { quiet } from "../docker/quiet.ts";
import type { OpenPipes, Pipes } from "./docker-pipes.ts";
import { whenEngineIsThere } from "./docker-wait.ts";

export interface PipedExec extends ContainerExec {
  /** Names the pipes; unique in the sandbox. */
  readonly id: string;
  /** Null = the engine's own stream alone. */
  readonly pipes: Pipes | null;
  /** The engine has lost the command, which goes on all the same. */
  readonly onEngineGone: () => void;
  readonly signal: AbortSignal;
}

/** An engine that goes away ends its containers within this time, if it does so at all. */
const SETTLE_MS = 1_000;

/** Runs a command of ours (one that knows of the pipes) and hears it through them, or through the engine where it cannot. */
export async function startPiped(
  engine: Engine,
  container: string,
  exec: PipedExec,
): Promise<RunningExec> {
  const heard = { at: performance.now() };
  const listener = {
    ...exec,
    onBytes(): void {
      heard.at = performance.now();
      exec.onBytes?.();
    },
  };
  const execId = await whenEngineIsThere(engine, exec.signal, () =>
    createExec(engine, container, exec.argv),
  );
  const pipes = (await exec.pipes?.open(exec.id, listener)) ?? null;
  try {
    const attached = await attachExec(engine, execId, listener);
    return pipes === null ? attached : joined(attached, pipes, heard, exec.onEngineGone);
  } catch (error) {
    pipes?.close();
    throw error;
  }
}

function joined(
  attached: RunningExec,
  pipes: OpenPipes,
  heard: { readonly at: number },
  onEngineGone: () => void,
): RunningExec {
  const stop = new AbortController();
  /** As long as the engine knows the command its word counts; what is in the pipes others in the container can write too. */
  const exitCode = attached.done.then(async (code) => {
    if (stop.signal.aborted) return code;
    pipes.awaitEnd();
    if (code !== null) return code;
    const over = pipes.exit.then(() => true);
    const isOver = await Promise.race([over, sleep(SETTLE_MS, false, { ref: false })]);
    if (!pipes.hasBegun()) return null;
    if (!isOver && !stop.signal.aborted) onEngineGone();
    return pipes.exit;
  });
  const detach = (): void => {
    stop.abort();
    attached.detach();
    pipes.close();
  };
  const ended = async (): Promise<number | null> => {
    const code = await exitCode;
    await Promise.race([pipes.closed, quiet(heard, stop.signal)]);
    return code;
  };
  return { done: ended().finally(detach), detach };
}
