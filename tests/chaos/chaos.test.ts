import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { below, seeded } from "@multiverse/orchestrator/store/simulation/random";
import type { Fact } from "@multiverse/protocol/fact";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { ensureCliImages } from "../docker/cli-images.ts";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { containersWith, killContainer, volumesWith } from "../harness/labelled.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { serve, type Place, type Started } from "../server/program.ts";
import { readHistory, workspaceDir } from "./facts.ts";
import { isRunner, processesOf } from "./processes.ts";
import { askByFile, isDone, makeWorld, plan, start } from "./world.ts";

interface Size {
  readonly tasks: number;
  readonly kills: number;
  /** Between two kills: at least, and at most as much more. */
  readonly pauseMs: readonly [number, number];
  readonly limitMs: number;
}

/** `MULTIVERSE_CHAOS=long` is half an hour and more; CI has the size in which every fault fires many times. */
const SIZES: Readonly<Record<"short" | "ci" | "long", Size>> = {
  short: { tasks: 40, kills: 12, pauseMs: [800, 2_500], limitMs: 180_000 },
  ci: { tasks: 200, kills: 48, pauseMs: [800, 2_500], limitMs: 540_000 },
  long: { tasks: 500, kills: Infinity, pauseMs: [5_000, 15_000], limitMs: 3_600_000 },
};
const usual = process.env["CI"] === "true" ? "ci" : "short";
const asked = z.enum(["short", "ci", "long"]).parse(process.env["MULTIVERSE_CHAOS"] ?? usual);
const size = SIZES[asked];
const SEED = Number(process.env["CHAOS_SEED"] ?? Date.now() % 100_000);
const REFERENCE = 24;

const docker = await findDockerWithBaseImage();
const containers = !skipWithout(docker, "chaos with containers");
const random = seeded(SEED);
const kills = { server: 0, runner: 0, container: 0 };
let place: Place;
let server: Started;

afterEach(async () => {
  server.child.kill("SIGTERM");
  await server.exit;
  for (const { pid } of await processesOf(place.root)) process.kill(pid, "SIGKILL");
  await place.remove();
});

async function begin(): Promise<void> {
  place = await makeWorld({ containers });
  server = await serve(place);
}

/** Until the condition holds; what it throws meanwhile (the server is down) does not count. */
async function until(what: string, deadline: number, holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await holds().catch(() => false)) return;
    if (performance.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const workspaceId = async (): Promise<string> => basename(await workspaceDir(place.home));

async function killServer(): Promise<boolean> {
  kills.server += 1;
  server.child.kill("SIGKILL");
  await server.exit;
  server = await serve(place);
  return true;
}

async function killRunner(): Promise<boolean> {
  const runners = (await processesOf(place.root)).filter(isRunner);
  const chosen = runners[below(random, Math.max(1, runners.length))];
  if (!chosen) return false;
  process.kill(chosen.pid, "SIGKILL");
  kills.runner += 1;
  return true;
}

async function killOneContainer(): Promise<boolean> {
  const running = (
    await containersWith(present(docker), { workspace: await workspaceId() })
  ).filter(({ State }) => State === "running");
  const chosen = running[below(random, Math.max(1, running.length))];
  if (!chosen || !(await killContainer(present(docker), chosen.Id))) return false;
  kills.container += 1;
  return true;
}

/** The server, a runner, a container, a runner, … and whenever there is nothing of the kind, in a moment again. */
async function disturb(deadline: number): Promise<void> {
  const kinds = [killServer, killRunner, containers ? killOneContainer : killRunner, killRunner];
  for (let round = 0; round < size.kills; round += 1) {
    const [least, more] = size.pauseMs;
    const next = performance.now() + least + below(random, more);
    const isOver = (): Promise<boolean> => isDone(place, size.tasks);
    const isDue = async () => (await isOver().catch(() => false)) || performance.now() > next;
    await until("the next kill", deadline, isDue);
    if (await isOver().catch(() => false)) return;
    const kill = kinds[round % kinds.length] ?? killRunner;
    await until("something to kill", deadline, async () => (await kill()) || (await isOver()));
  }
}

const succeeded = (facts: readonly Fact[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const fact of facts)
    if (fact.kind === "task.succeeded")
      counts.set(fact.payload.taskId, (counts.get(fact.payload.taskId) ?? 0) + 1);
  return counts;
};

const countOf = (facts: readonly Fact[], kind: Fact["kind"]): number =>
  facts.filter((fact) => fact.kind === kind).length;

async function expectNothingLeft(): Promise<void> {
  const settle = { timeout: 60_000, interval: 250 };
  const others = async () =>
    (await processesOf(place.root)).filter(({ pid }) => pid !== server.child.pid);
  await expect.poll(others, settle).toEqual([]);
  if (!containers) return;
  const ours = { workspace: await workspaceId() };
  await expect.poll(() => containersWith(present(docker), ours), settle).toEqual([]);
  await expect.poll(() => volumesWith(present(docker), ours), settle).toEqual([]);
}

/** How long a plan takes when nobody disturbs it, from a smaller one of the same shape. */
async function undisturbedMs(): Promise<number> {
  await begin();
  await plan(place, REFERENCE);
  const began = performance.now();
  await start(place);
  await until("the reference", began + size.limitMs, () => isDone(place, REFERENCE));
  const took = performance.now() - began;
  server.child.kill("SIGTERM");
  await server.exit;
  await place.remove();
  return (took * size.tasks) / REFERENCE;
}

test(
  `${size.tasks} tasks end exactly once while server, runners${containers ? " and containers" : ""} are killed (seed ${SEED})`,
  { timeout: size.limitMs * 2 + 600_000 },
  async () => {
    if (containers) await ensureCliImages(present(docker), ["codex-cli"]);
    const reference = await undisturbedMs();
    await begin();
    const lastTasks = [0, 1, 2].map((n) => `task-${String(size.tasks - n).padStart(4, "0")}`);
    await plan(place, size.tasks);
    for (const taskId of lastTasks) await askByFile(place, taskId);
    const began = performance.now();
    const deadline = began + size.limitMs;
    await start(place);
    await disturb(deadline);
    await until("every task", deadline, () => isDone(place, size.tasks));
    const took = performance.now() - began;

    const facts = await readHistory(place.home);
    expect([...succeeded(facts).values()]).toEqual(Array.from({ length: size.tasks }, () => 1));
    const started = countOf(facts, "attempt.started");
    expect(countOf(facts, "attempt.finished")).toBe(started);
    expect(started).toBeGreaterThan(size.tasks); // what was killed was tried again

    const ipc = join(await workspaceDir(place.home), "ipc");
    await expect.poll(() => readdir(join(ipc, "processing"))).toEqual([]);
    expect(await readdir(join(ipc, "queue"))).toEqual([]);
    const results = lastTasks.map((taskId) => `job-${taskId}.json`).sort();
    expect((await readdir(join(ipc, "results"))).sort()).toEqual(results);
    await expectNothingLeft();
    const { container: _, ...rest } = kills;
    for (const count of Object.values(containers ? kills : rest)) expect(count).toBeGreaterThan(0);
    console.log(
      `chaos: ${JSON.stringify(kills)}, ${started} attempts, ${(took / 1_000).toFixed(0)} s, ` +
        `${(took / reference).toFixed(2)} × undisturbed`,
    );
  },
);
