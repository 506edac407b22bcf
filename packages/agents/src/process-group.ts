import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Sends a signal to every process of a group we started; false if the group is gone (or was never ours). */
export function killGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  // 0 and 1 would mean our own group and every process of the user.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * What tells a process from a later one with the same pid: the boot and the start in clock ticks on Linux,
 * the start in words elsewhere. Null if there is no such process (a zombie counts as gone).
 */
export function startTimeOf(pid: number): string | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return process.platform === "linux" ? linuxStartTime(pid) : psStartTime(pid);
}

/** Whether the very process that was started then is still there. */
export const isAlive = (pid: number, startTime: string): boolean => startTimeOf(pid) === startTime;

function linuxStartTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold spaces and brackets itself; the fields begin after the last one.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    const ticks = fields[19];
    if (state === "Z" || state === "X" || ticks === undefined) return null;
    return `${bootId()}:${ticks}`;
  } catch {
    return null;
  }
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return boot;
}

function psStartTime(pid: number): string | null {
  try {
    const out = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { LC_ALL: "C", PATH: "/bin:/usr/bin" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    return out === "" || out.startsWith("Z") ? null : out.slice(out.indexOf(" ")).trim();
  } catch {
    return null;
  }
}
