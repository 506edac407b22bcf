import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProcess } from "@multiverse/agents/exec";
import { openCappedLog } from "@multiverse/server/files/capped-log";
import type { Row } from "./row.ts";
import { median } from "./stats.ts";

const STREAMS = 8;
const BYTES = 24 * 1_048_576;
const ROUNDS = 3;
/** What a build prints: a line of about 200 characters. */
const PRODUCER = `yes "${"compiled src/feature/module.ts in 12 ms; ".repeat(5)}" | head -c ${BYTES}`;

/** Eight workers that print as fast as they can: process → lines → log file, next to the bare pipe into a file. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "mv-bench-log-"));
  const bare: number[] = [];
  const ours: number[] = [];
  const before = memoryMb();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, memoryMb())), 20);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await throughput((i) => pipeToFile(join(folder, `bare-${i}`))));
      ours.push(await throughput((i) => throughLog(join(folder, `ours-${i}`))));
    }
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
  const value = median(ours);
  const floor = median(bare);
  return [
    {
      name: `worker log path, ${STREAMS} streams`,
      value,
      unit: "MB/s",
      floor,
      ratio: value / floor,
      target: 0.5,
      atLeast: true,
      ok: value / floor >= 0.5,
    },
    {
      name: `worker log path, memory used for ${(STREAMS * BYTES * ROUNDS) / 1_048_576} MB`,
      value: most - before,
      unit: "MB",
      floor: 200,
      ratio: (most - before) / 200,
      target: 1,
      ok: most - before <= 200,
    },
  ];
}

const memoryMb = (): number => process.memoryUsage.rss() / 1_048_576;

async function throughput(stream: (place: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: STREAMS }, (_, place) => stream(place)));
  return (STREAMS * BYTES) / 1_048_576 / ((performance.now() - started) / 1_000);
}

async function pipeToFile(path: string): Promise<void> {
  const file = await open(path, "w");
  const child = spawn("sh", ["-c", PRODUCER], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "close");
  for await (const chunk of child.stdout) await file.write(chunk as Buffer);
  await ended;
  await file.close();
}

async function throughLog(path: string): Promise<void> {
  const log = await openCappedLog(path, 2 * BYTES);
  const { exitCode } = await runProcess(
    {
      command: "sh",
      args: ["-c", PRODUCER],
      env: {},
      workdir: ".",
      stdin: "",
      timeoutSec: 0,
      idleTimeoutSec: 0,
    },
    {
      signal: new AbortController().signal,
      onLine: ({ line }) => void log.write(line),
      cwd: tmpdir(),
      env: { PATH: process.env["PATH"] ?? "" },
    },
  );
  await log.close();
  if (exitCode !== 0) throw new Error(`the producer ended with ${exitCode}`);
}
