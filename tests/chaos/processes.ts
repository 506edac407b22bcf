import { readdir, readFile } from "node:fs/promises";

export interface Found {
  readonly pid: number;
  readonly command: string;
}

/** Every process whose environment names the marker: whatever we started, and whatever that started. */
export async function processesOf(marker: string): Promise<Found[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => describe(pid, marker)));
  return found.filter((one) => one !== null);
}

async function describe(pid: number, marker: string): Promise<Found | null> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8");
    if (!environment.includes(marker) || (await isZombie(pid))) return null;
    return { pid, command: (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ") };
  } catch {
    return null; // it ended while we looked
  }
}

const isZombie = async (pid: number): Promise<boolean> =>
  / Z /.test(await readFile(`/proc/${pid}/stat`, "utf8"));

/** The runs of tasks, not what they started in turn. */
export const isRunner = ({ command }: Found): boolean =>
  command.includes("agent-runner.mjs --events");
