import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemClock } from "@multiverse/agents/system-clock";
import { openFixture } from "@multiverse/orchestrator/testing/fixture";
import { planOf } from "./plan-of.ts";
import type { Row } from "./row.ts";

const TASKS = 10_000;
const SHAPES: readonly [name: string, parents: (i: number) => number[]][] = [
  ["layers of 100", (i) => (i < 100 ? [] : [i - 100])],
  ["one chain", (i) => (i === 0 ? [] : [i - 1])],
  ["one star", (i) => (i === 0 ? [] : [0])],
];
const TARGET_MS = 100;

/** A plan of 10,000 tasks, made by one change, with runs that end at once: how long the event loop is ever blocked. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, parents] of SHAPES) rows.push(await measure(name, parents));
  return rows;
}

async function measure(name: string, parents: (i: number) => number[]): Promise<Row> {
  const home = await mkdtemp(join(tmpdir(), "mv-bench-"));
  const fixture = await openFixture({
    slots: 8,
    clock: systemClock,
    at: { home, project: join(home, "project") },
  });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await fixture.orchestrator.changePlan(planOf(TASKS, parents));
  await fixture.orchestrator.setExecution("start");
  await new Promise<void>((resolve) => {
    let done = 0;
    fixture.workspace.subscribe((facts) => {
      for (const fact of facts) if (fact.kind === "task.succeeded") done += 1;
      if (done === TASKS) resolve();
    });
  });
  delay.disable();
  await fixture.close();
  await rm(home, { recursive: true, force: true });
  const worst = delay.max / 1e6;
  return {
    name: `10,000 tasks, ${name}: longest block of the event loop`,
    value: worst,
    unit: "ms",
    floor: TARGET_MS,
    ratio: worst / TARGET_MS,
    target: 1,
    ok: worst <= TARGET_MS,
  };
}
