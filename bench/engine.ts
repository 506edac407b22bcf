import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import { openFixture } from "@multiverse/orchestrator/testing/fixture";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { planOf } from "./plan-of.ts";
import type { Row } from "./row.ts";
import { sleepingRuns, type SleepingRuns } from "./sleeping-runs.ts";
import { percentile } from "./stats.ts";

const TASKS = 200;
const SECONDS = 2;
const SLOTS = 8;
const CHAIN = 150;

/** What the engine adds: to a whole plan, and between one task's end and the next one's start. */
export async function run(): Promise<Row[]> {
  return [await overhead(), ...(await nextStart())];
}

async function overhead(): Promise<Row> {
  const runs = sleepingRuns(SECONDS);
  await drive(
    runs,
    planOf(TASKS, () => []),
    SLOTS,
  );
  const began = Math.min(...runs.startedAt.values());
  const value = (Math.max(...runs.endedAt.values()) - began) / 1_000;
  const floor = (TASKS / SLOTS) * SECONDS;
  const ratio = value / floor;
  return {
    name: `engine overhead: ${TASKS} tasks of ${SECONDS} s, ${SLOTS} slots`,
    value,
    unit: "s",
    floor,
    ratio,
    target: 1.03,
    ok: ratio <= 1.03,
  };
}

async function nextStart(): Promise<Row[]> {
  const floors = await syncAndSpawn();
  const runs = sleepingRuns(0.01);
  await drive(
    runs,
    planOf(CHAIN, (place) => (place === 0 ? [] : [place - 1])),
    1,
  );
  floors.push(...(await syncAndSpawn()));
  const ends = [...runs.endedAt.values()].sort((a, b) => a - b);
  const starts = [...runs.startedAt.values()].sort((a, b) => a - b);
  const gaps = ends.slice(0, -1).map((end, place) => (starts[place + 1] ?? Number.NaN) - end);
  const row = (share: number, target: number): Row => {
    const value = percentile(gaps, share);
    const floor = percentile(floors, share);
    return {
      name: `finished → successor's process started, p${share * 100}`,
      value,
      unit: "ms",
      floor,
      ratio: value / floor,
      target,
      ok: value / floor <= target,
    };
  };
  return [row(0.5, 5), row(0.95, 10)];
}

/** Plans these tasks and runs them all. */
async function drive(runs: SleepingRuns, operations: PlanOperation[], slots: number) {
  const home = mkdtempSync(join(tmpdir(), "mv-bench-engine-"));
  const at = { home, project: join(home, "project") };
  const fixture = await openFixture({ slots, runs, clock: systemClock, at });
  try {
    await fixture.orchestrator.changePlan(operations);
    const done = new Promise<void>((resolve) => {
      let count = 0;
      fixture.workspace.subscribe((facts) => {
        for (const fact of facts) if (fact.kind === "task.succeeded") count += 1;
        if (count === operations.length) resolve();
      });
    });
    await fixture.orchestrator.setExecution("start");
    await done;
  } finally {
    await fixture.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The least that must happen: a line on the disk, and a process. */
async function syncAndSpawn(): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), "mv-bench-floor-"));
  const file = openSync(join(folder, "log"), "a");
  const times: number[] = [];
  try {
    for (let round = 0; round < CHAIN / 2; round += 1) {
      const started = performance.now();
      writeSync(file, `${"x".repeat(300)}\n`);
      fsyncSync(file);
      const child = spawn("sleep", ["0.01"], { stdio: "ignore", detached: true });
      const exited = once(child, "exit");
      await once(child, "spawn");
      times.push(performance.now() - started);
      await exited;
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
  return times;
}
