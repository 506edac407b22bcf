import { readdirSync, readFileSync } from "node:fs";

/** The variable by which processes of a local sandbox are found again, however far they have moved away. */
export const SANDBOX_VARIABLE = "MULTIVERSE_SANDBOX_ID";

const ROUNDS = 5;

/**
 * Ends every process that carries the sandbox's id in its environment: a daemon leaves its process group, but keeps its
 * environment. Only Linux shows environments; elsewhere the process groups have to do.
 */
export function endLeftBehind(sandboxId: string): void {
  if (process.platform !== "linux") return;
  for (let round = 0; round < ROUNDS; round++) {
    const pids = marked(`${SANDBOX_VARIABLE}=${sandboxId}`);
    if (pids.length === 0) return;
    for (const pid of pids) end(pid);
  }
}

function marked(entry: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const variables = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      return variables.includes(entry) ? [Number(name)] : [];
    } catch {
      return []; // ended meanwhile, or somebody else's
    }
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // ended meanwhile
  }
}
