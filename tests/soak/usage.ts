import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a process holds at a quiet moment. */
export interface Usage {
  readonly memoryMb: number;
  readonly handles: number;
  readonly children: number;
}

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    children: childrenOf(pid),
  };
}

function childrenOf(pid: number): number {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"),
  );
  return lists.join(" ").split(" ").filter(Boolean).length;
}

/** The size of everything below a folder; what is removed while we look counts as nothing. */
export function sizeOf(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const info = statSync(join(folder, name), { throwIfNoEntry: false });
    if (info?.isFile() === true) bytes += info.size;
  }
  return bytes;
}
