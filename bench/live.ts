import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { factToClient } from "./fact-to-client.ts";
import { atMost, type Row } from "./row.ts";
import { serve, type Served } from "./served.ts";

const TASKS = 1_000;
/** Memory is given back in a few rounds after a burst; only then is a server idle. */
const SETTLE_MS = 20_000;
const IDLE_MS = 30_000;

/** A server with a plan of 1,000 tasks: what it costs to have it, and how fast a fact reaches a client. */
export async function run(): Promise<Row[]> {
  const served = await serve(TASKS);
  try {
    return [...(await idle(served)), ...(await factToClient(served))];
  } finally {
    await served.stop();
  }
}

async function idle({ pid }: Served): Promise<Row[]> {
  await sleep(SETTLE_MS);
  const before = cpuSeconds(pid);
  await sleep(IDLE_MS);
  const percent = ((cpuSeconds(pid) - before) / (IDLE_MS / 1_000)) * 100;
  const megabytes = memoryMb(pid);
  return [
    atMost(`server idle, ${TASKS} tasks: share of a core`, percent, "%", 0.5),
    atMost(`server idle, ${TASKS} tasks: memory`, megabytes, "MB", 150),
  ];
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const memoryMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
