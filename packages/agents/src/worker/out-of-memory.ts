import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkerReport } from "../worker.ts";
import type { SandboxPool } from "./sandbox-pool.ts";

export const MORE_MEMORY =
  "Raise runner.worker.memory, or set runner.worker.memory_on_oom (for every task: MULTIVERSE_MEMORY_ON_OOM) to a larger limit for one more try; the coding CLIs need 512m or more.";

/** The kernel ended the work because the sandbox's limit was reached; nobody asked for that, and the worker is not to blame. */
export const outOfMemory = (limit: string): MultiverseError =>
  new MultiverseError(
    "OUT_OF_MEMORY",
    `out of memory (OOM): the sandbox's limit of ${limit} was reached`,
    { hint: MORE_MEMORY },
  );

/** Makes room for one more try, and says so; false where the task allows no larger limit. */
export async function makeRoom(
  pool: SandboxPool,
  { report }: { readonly report: WorkerReport },
): Promise<boolean> {
  const before = pool.memory();
  if (!(await pool.enlarge())) return false;
  const message = `out of memory (OOM) at ${before}: once more with ${pool.memory()}`;
  report({ type: "log", level: "warn", message, fields: {} });
  return true;
}
