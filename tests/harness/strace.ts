import { runCommand } from "./run-command.ts";
import type { Missing } from "./skips.ts";

export interface Strace {
  /** The command that runs `command` under strace with these options. */
  readonly around: (
    options: readonly string[],
    command: readonly string[],
  ) => [string, ...string[]];
}

/** Finds strace, and that this machine lets it trace. */
export async function findStrace(): Promise<Strace | Missing> {
  const how = "install strace and allow ptrace, or run with CI=true as root on Debian";
  const { code, stderr } = await runCommand("strace", ["-f", "-o", "/dev/null", "true"]);
  if (code === 127) return { missing: "there is no strace", how };
  if (code !== 0) return { missing: `strace cannot trace here (${stderr.trim()})`, how };
  return { around: (options, command) => ["strace", "-f", ...options, ...command] };
}
