import { startExec } from "../docker/exec.ts";
import type { Engine } from "../docker/engine.ts";
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
  let timer: NodeJS.Timeout | undefined;
  try {
    const argv = kill(String(graceSec), ...spared);
    const exec = await startExec(engine, container, { argv, stdin: "", onLine: () => {} });
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        exec.detach();
        resolve(null);
      }, DEADLINE_MS);
    });
    return (await Promise.race([exec.done, late])) === 0;
  } catch {
    // No process can be started in there (its limit is used up), or the container is gone.
    return false;
  } finally {
    clearTimeout(timer);
  }
}
