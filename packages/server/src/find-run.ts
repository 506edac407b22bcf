import { readdir, readFile } from "node:fs/promises";
import { startTimeOf } from "@multiverse/agents/process-group";
import type { RunProcess } from "@multiverse/runner/child";

/**
 * The process that writes this events file, found by its command line: for a run whose starter died before it could
 * note down which process it was. Null where there is none, or no /proc to look in.
 */
export async function findRun(eventsPath: string): Promise<RunProcess | null> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (!command.split("\0").includes(eventsPath)) continue;
    const startTime = startTimeOf(Number(pid));
    if (startTime !== null) return { pid: Number(pid), startTime };
  }
  return null;
}
