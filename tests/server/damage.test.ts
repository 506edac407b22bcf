import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finish, type Place } from "./program.ts";
import { SocketClient } from "./socket-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
afterEach(() => server.stop());

/** Changes one letter in the middle of history, as a bad disk might. */
async function flipByte(dir: string): Promise<void> {
  const [name = ""] = await readdir(join(dir, "history"));
  const file = join(dir, "history", name);
  const text = await readFile(file, "utf8");
  expect(text).toContain("second task");
  await writeFile(file, text.replace("second task", "secomd task"));
}

async function addTasks(to: TestServer, ...titles: string[]): Promise<void> {
  for (const title of titles) expect((await to.post(`${to.ws}/tasks`, { title })).status).toBe(201);
}

/** Stops the server and damages what it leaves. */
async function stopDamaged(running: TestServer): Promise<void> {
  await running.stop({ keep: true });
  const { dir } = running.open.workspace;
  await flipByte(dir);
  // Without snapshots the damage is on the way of every opening.
  const snapshots = join(dir, "snapshots");
  for (const name of await readdir(snapshots)) await writeFile(join(snapshots, name), "");
}

const placeOf = ({ root, project, home }: TestServer): Place => ({
  root,
  project,
  home: home.root,
  env: { PATH: process.env["PATH"], HOME: root, MULTIVERSE_HOME: home.root },
  remove: async () => {},
});

const repair = (at: TestServer, ...more: string[]): ReturnType<typeof finish> =>
  finish(placeOf(at), ["repair", "--project", at.project, ...more]);

test("a workspace whose history is damaged can be read, not changed, and is mended with repair", async () => {
  const first = await startTestServer();
  await addTasks(first, "first task", "second task", "third task");
  await stopDamaged(first);

  server = await startTestServer({ root: first.root });
  const { ws, api, post } = server;
  const summary = (await (await api(ws)).json()) as { damage: string };
  expect(summary.damage).toMatch(/actions-\d{8}\.jsonl, byte \d+/);
  const { tasks } = (await (await api(`${ws}/tasks`)).json()) as { tasks: { title: string }[] };
  expect(tasks.map(({ title }) => title)).toEqual(["first task"]);
  const refused = await post(`${ws}/tasks`, { title: "no" });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { code: "WORKSPACE_READ_ONLY" } });
  await server.stop({ keep: true });

  const offered = await repair(first);
  expect([offered.code, offered.output]).toEqual([
    1,
    expect.stringContaining("--choice last-good"),
  ]);
  const mended = await repair(first, "--choice", "last-good");
  expect([mended.code, mended.output]).toEqual([0, expect.stringContaining("damaged/")]);

  server = await startTestServer({ root: first.root });
  await addTasks(server, "again");
}, 60_000);

test("a client that slept through a repair is not led on from a past that is no more", async () => {
  const first = await startTestServer();
  await addTasks(first, "first task", "second task");
  const sleeper = new SocketClient(first);
  await sleeper.connect();
  await expect.poll(() => sleeper.text()).toBe(first.stateText());
  sleeper.cut();
  await stopDamaged(first);
  expect((await repair(first, "--choice", "last-good")).code).toBe(0);

  server = await startTestServer({ root: first.root });
  await addTasks(server, "another second task", "another third task");
  const { workspace } = server.open;
  const { seq = 0, factId = "" } = sleeper.state ?? {};
  const [other] = await workspace.readFacts({ after: seq - 1, limit: 1 });
  expect([other?.seq, other?.id === factId]).toEqual([seq, false]);

  const awake = new SocketClient(server);
  awake.state = sleeper.state;
  await awake.connect();
  await expect.poll(() => awake.text()).toBe(server.stateText());
  await addTasks(server, "a fourth task");
  await expect.poll(() => awake.text()).toBe(server.stateText());
  expect(awake.disorder).toEqual([]);
}, 60_000);
