import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { below, seeded } from "@multiverse/orchestrator/store/simulation/random";
import type { Fact } from "@multiverse/protocol/fact";
import { BacklogList, Done, TaskList, WorkspaceList } from "@multiverse/protocol/http/responses";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, makePlace, serveDemo, type Place, type Started } from "../server/program.ts";
import { readHistory, workspaceDir } from "./facts.ts";
import { isRunner, processesOf } from "./processes.ts";

const IN_CI = process.env["CI"] === "true";
const TASKS = IN_CI ? 200 : 40;
const KILLS = IN_CI ? 40 : 8;
const LIMIT_MS = IN_CI ? 230_000 : 110_000;
const SEED = Number(process.env["CHAOS_SEED"] ?? Date.now() % 100_000);

let place: Place;
let server: Started;
const kills = { server: 0, runner: 0 };
const random = seeded(SEED);

beforeEach(async () => {
  place = await makePlace();
  await mkdir(join(place.home, "config"), { recursive: true, mode: 0o700 });
  const settings = { parallel: "always", maxParallel: 4 };
  await writeFile(join(place.home, "config/settings.json"), JSON.stringify(settings));
  server = await serveDemo(place);
});
afterEach(async () => {
  server.child.kill("SIGTERM");
  await server.exit;
  for (const { pid } of await processesOf(place.root)) process.kill(pid, "SIGKILL");
  await place.remove();
});

/** Until the condition holds; what it throws meanwhile (the server is down) does not count. */
async function until(what: string, deadline: number, holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await holds().catch(() => false)) return;
    if (performance.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function workspace(): Promise<string> {
  const { workspaces } = await (await clientOf(place)).get("/workspaces", WorkspaceList);
  return `/workspaces/${workspaces[0]?.id}`;
}

/** Layers of eight, each task behind one of the layer before. */
const operations = Array.from({ length: TASKS }, (_, i) => ({
  op: "create",
  temp_id: `t${i}`,
  title: `Step ${i}`,
  description: `Write down that step ${i} is done.`,
  dependencies: i < 8 ? [] : [`t${i - 8}`],
}));
const lastTasks = [TASKS, TASKS - 1, TASKS - 2].map((n) => `task-${String(n).padStart(4, "0")}`);

async function askByFile(taskId: string): Promise<void> {
  const dir = await workspaceDir(place.home);
  const job = { workspace_id: dir.split("/").at(-1), task_id: taskId };
  const written = join(dir, `job-${taskId}.tmp`);
  await writeFile(written, JSON.stringify(job));
  await rename(written, join(dir, "ipc/queue", `job-${taskId}.json`));
}

async function killServer(): Promise<void> {
  kills.server += 1;
  server.child.kill("SIGKILL");
  await server.exit;
  server = await serveDemo(place);
}

async function killRunner(): Promise<void> {
  await until("a runner to kill", performance.now() + 10_000, async () => {
    const runners = (await processesOf(place.root)).filter(isRunner);
    const chosen = runners[below(random, Math.max(1, runners.length))];
    if (!chosen) return isDone();
    process.kill(chosen.pid, "SIGKILL");
    kills.runner += 1;
    return true;
  });
}

/** A person who retries what was killed three times in a row. */
async function retryFailures(): Promise<void> {
  const client = await clientOf(place);
  const ws = await workspace();
  const { items } = await client.get(`${ws}/backlog`, BacklogList);
  for (const item of items)
    if (item.resolvedAt === null)
      await client.send("POST", `${ws}/backlog/${item.id}/resolve`, { choice: "retry" }, Done);
}

async function isDone(): Promise<boolean> {
  const { tasks } = await (await clientOf(place)).get(`${await workspace()}/tasks`, TaskList);
  const open = tasks.filter(({ status }) => status !== "SUCCEEDED");
  if (open.some(({ status }) => status === "FAILED" || status === "BLOCKED")) await retryFailures();
  return tasks.length === TASKS && open.length === 0;
}

const countBy = (facts: readonly Fact[], kind: Fact["kind"]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const fact of facts) {
    if (fact.kind !== kind || !("taskId" in fact.payload)) continue;
    counts.set(fact.payload.taskId, (counts.get(fact.payload.taskId) ?? 0) + 1);
  }
  return counts;
};

test(
  `${TASKS} tasks end exactly once while server and runners are killed (seed ${SEED})`,
  { timeout: LIMIT_MS + 60_000 },
  async () => {
    const deadline = performance.now() + LIMIT_MS;
    const client = await clientOf(place);
    const ws = await workspace();
    await client.send("POST", `${ws}/plan`, { operations }, z.unknown());
    for (const taskId of lastTasks) await askByFile(taskId);
    await client.send("POST", `${ws}/execution`, { action: "start" }, z.unknown());

    for (let round = 0; round < KILLS; round += 1) {
      const next = performance.now() + 800 + below(random, 2_500);
      await until(
        "the next kill",
        deadline,
        async () => (await isDone()) || performance.now() > next,
      );
      if (await isDone().catch(() => false)) break;
      await (round % 3 === 0 ? killServer() : killRunner());
    }
    await until("every task", deadline, isDone);

    const facts = await readHistory(place.home);
    const successes = countBy(facts, "task.succeeded");
    expect([...successes.values()]).toEqual(Array.from({ length: TASKS }, () => 1));
    const started = facts.filter(({ kind }) => kind === "attempt.started").length;
    expect(facts.filter(({ kind }) => kind === "attempt.finished")).toHaveLength(started);
    expect(started).toBeGreaterThan(TASKS); // what was killed was tried again

    const ipc = join(await workspaceDir(place.home), "ipc");
    await expect.poll(() => readdir(join(ipc, "processing"))).toEqual([]);
    expect(await readdir(join(ipc, "queue"))).toEqual([]);
    expect((await readdir(join(ipc, "results"))).sort()).toEqual(
      lastTasks.map((taskId) => `job-${taskId}.json`).sort(),
    );

    await expect
      .poll(
        async () => {
          const left = await processesOf(place.root);
          return left.filter(({ pid }) => pid !== server.child.pid);
        },
        { timeout: 20_000, interval: 200 },
      )
      .toEqual([]);
    expect(kills.server).toBeGreaterThan(0);
    expect(kills.runner).toBeGreaterThan(0);
  },
);
