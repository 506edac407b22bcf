import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import { openFixture } from "@multiverse/orchestrator/testing/fixture";
import { watchBlocks } from "./blocks.ts";
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
  for (const [name, parents] of SHAPES) rows.push(...(await measure(name, parents)));
  return rows;
}

async function measure(name: string, parents: (i: number) => number[]): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "mv-bench-"));
  const fixture = await openFixture({
    slots: 8,
    clock: systemClock,
    at: { home, project: join(home, "project") },
  });
  const blocks = watchBlocks();
  await fixture.orchestrator.changePlan(planOf(TASKS, parents));
  await fixture.orchestrator.setExecution("start");
  await new Promise<void>((resolve) => {
    let done = 0;
    fixture.workspace.subscribe((facts) => {
      for (const fact of facts) if (fact.kind === "task.succeeded") done += 1;
      if (done === TASKS) resolve();
    });
  });
  const { wall, processor } = blocks.end();
  await fixture.close();
  await rm(home, { recursive: true, force: true });
  const what = `10,000 tasks, ${name}: longest block of the event loop`;
  return [row(what, wall), row(`${what}, processor time`, processor)];
}

const row = (name: string, value: number): Row => ({
  name,
  value,
  unit: "ms",
  floor: TARGET_MS,
  ratio: value / TARGET_MS,
  target: 1,
  ok: value <= TARGET_MS,
});
