import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@multiverse/server/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { recordSkip } from "../../scripts/skips.mjs";
import { ci } from "../harness/skips.ts";
import { clientOf, makePlace, serveDemo, type Place, type Started } from "../server/program.ts";
import { sizeOf, usageOf } from "./usage.ts";

const asked = process.env["MULTIVERSE_SOAK_MINUTES"];
const minutes = asked === undefined ? 2 : Number(asked);
const isWanted = ci || asked !== undefined;
if (!isWanted)
  recordSkip({
    what: "the soak test",
    why: "it takes two minutes",
    how: "MULTIVERSE_SOAK_MINUTES=2 npm test -- tests/soak (30 for a long one)",
  });

const PROJECTS = 3;
/** Until here the server may grow: code is compiled, caches are filled. */
const WARM_UP = 0.4;

describe.skipIf(!isWanted)("a server that is used for a long time", () => {
  let place: Place;
  let server: Started;
  let client: Client;
  beforeEach(async () => {
    place = await makePlace();
    server = await serveDemo(place);
    client = await clientOf(place);
  });
  afterEach(async () => {
    server.child.kill("SIGTERM");
    await server.exit;
    await place.remove();
  });

  test(
    "holds no more memory, files and processes at the end than after warming up",
    {
      timeout: (minutes + 3) * 60_000,
    },
    async () => {
      const pid = server.child.pid ?? 0;
      const began = Date.now();
      const projects = await Promise.all(
        Array.from({ length: PROJECTS }, (_, nth) => openProject(client, place, nth)),
      );
      const early = await work(projects, began + WARM_UP * minutes * 60_000, pid);
      const late = await work(projects, began + minutes * 60_000, pid);
      console.log(
        `after warming up: ${JSON.stringify(early)}\nat the end: ${JSON.stringify(late)}`,
      );

      expect(late.tasks).toBeGreaterThan(early.tasks);
      expect(late.children).toBe(0);
      expect(late.handles).toBeLessThanOrEqual(early.handles + 10);
      expect(late.memoryMb).toBeLessThanOrEqual(early.memoryMb * 1.5 + 60);
      expect(late.bytesPerTask).toBeLessThanOrEqual(early.bytesPerTask * 1.3 + 10_000);
    },
  );

  /** Everything at once until the deadline, then what is held once it is quiet. */
  async function work(projects: readonly string[], until: number, pid: number) {
    const talking = projects.map((id) => keepPlanning(client, id, until));
    const watching = projects.map((id) => comeAndGo(client, id, until));
    await Promise.all([...talking, ...watching]);
    const tasks = (await Promise.all(projects.map((id) => tasksOf(client, id)))).flat();
    expect(tasks.filter(({ status }) => status !== "SUCCEEDED")).toEqual([]);
    await expect.poll(() => usageOf(pid).children).toBe(0);
    await sleep(1_000); // sockets that were cut are noticed a little later
    const bytesPerTask = Math.round(sizeOf(join(place.home, "workspaces")) / tasks.length);
    return { ...usageOf(pid), tasks: tasks.length, bytesPerTask };
  }
});

async function openProject(client: Client, place: Place, nth: number): Promise<string> {
  const path = join(place.root, `project-${nth}`);
  await mkdir(path);
  return (await client.api.openWorkspace(path)).id;
}

const tasksOf = async (client: Client, id: string) =>
  (await client.api.inWorkspace(id).tasks()).tasks;

/** One sentence after the other, each planned and done; now and then the work is paused for a moment. */
async function keepPlanning(client: Client, id: string, until: number): Promise<void> {
  for (let nth = 0; Date.now() < until; nth += 1) {
    const { length: before } = await tasksOf(client, id);
    const workspace = client.api.inWorkspace(id);
    const session = await workspace.newSession();
    await workspace.sendMessage(session.id, `Sentence ${nth} of ${id}`);
    await expect
      .poll(async () => (await tasksOf(client, id)).length, { timeout: 30_000 })
      .toBeGreaterThan(before);
    if (nth % 4 === 3) await pauseAndResume(client, id);
    await expect
      .poll(async () => (await tasksOf(client, id)).every(({ status }) => status === "SUCCEEDED"), {
        timeout: 60_000,
        interval: 200,
      })
      .toBe(true);
  }
}

async function pauseAndResume(client: Client, id: string): Promise<void> {
  const { setExecution } = client.api.inWorkspace(id);
  await setExecution("pause").catch(() => null); // it may all be done already
  await setExecution("resume").catch(() => null);
}

/** Clients that connect, listen for a moment and vanish, some without a goodbye. */
async function comeAndGo(client: Client, id: string, until: number): Promise<void> {
  const address = `${client.url.replace("http", "ws")}/api/v1/workspaces/${id}/events?since=0`;
  for (let nth = 0; Date.now() < until; nth += 1) {
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${client.token}` } });
    socket.on("error", () => {});
    await new Promise((heard) => socket.once("message", heard));
    await sleep((nth % 5) * 100);
    if (nth % 2 === 0) socket.terminate();
    else socket.close();
  }
}
