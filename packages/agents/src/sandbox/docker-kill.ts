import { startExec } from "../docker/exec.ts";
import type { Engine } from "../docker/engine.ts";
import { pause } from "../docker/quiet.ts";
import { kill } from "./docker-scripts.ts";

const GRACE_SEC = 5;
/** The script's own worst case, and some air for a machine under load. */
const DEADLINE_MS = (GRACE_SEC + 3) * 1_000 + 6_000;

/** Ends everything that runs in the container except the spared runs; true = verified that nothing is left. */
export async function killInside(
  engine: Engine,
  container: string,
  spared: readonly string[],
  graceSec: number = GRACE_SEC,
): Promise<boolean> {
  const isGone = async (): Promise<boolean> => {
    const argv = kill(String(graceSec), ...spared);
    const exec = await startExec(engine, container, { argv, stdin: "", onLine: () => {} });
    if (late.signal.aborted) exec.detach();
    late.signal.addEventListener("abort", () => exec.detach(), { once: true });
    return (await exec.done) === 0;
  };
  const late = new AbortController();
  try {
    return await Promise.race([isGone(), pause(DEADLINE_MS, late.signal).then(() => false)]);
  } catch {
    // No process can be started in there (its limit is used up), or the container or the engine is gone.
    return false;
  } finally {
    late.abort();
  }
}
