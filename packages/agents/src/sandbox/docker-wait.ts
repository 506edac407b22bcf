import { MultiverseError } from "@multiverse/protocol/error";
import type { Engine } from "../docker/engine.ts";
import { pause } from "../docker/quiet.ts";

/** A service that is restarted is back in seconds; what takes longer is for whoever runs the task again. */
const BACK_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;
const ANSWER_MS = 5_000;

/**
 * Does what needs the engine; where it is away, once more when it is back. Only for what leaves nothing behind when it
 * fails half-way.
 */
export async function whenEngineIsThere<T>(
  engine: Engine,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isAway(error) || !(await isBack(engine, signal))) throw error;
    return act();
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof MultiverseError && error.code === "DOCKER_UNAVAILABLE" && error.retryable;

async function isBack(engine: Engine, signal: AbortSignal): Promise<boolean> {
  const giveUp = performance.now() + BACK_WITHIN_MS;
  while (performance.now() < giveUp && !signal.aborted) {
    try {
      await engine.call("GET", "/version", { timeoutMs: ANSWER_MS });
      return true;
    } catch {
      await pause(LOOK_EVERY_MS, signal);
    }
  }
  return false;
}
