import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finish, type Place } from "./program.ts";
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

test("a workspace whose history is damaged can be read, not changed, and is mended with repair", async () => {
  const first = await startTestServer();
  for (const title of ["first task", "second task", "third task"])
    await first.post(`${first.ws}/tasks`, { title });
  await first.stop({ keep: true });
  await flipByte(first.open.workspace.dir);
  // Without snapshots the damage is on the way of every opening.
  const snapshots = join(first.open.workspace.dir, "snapshots");
  for (const name of await readdir(snapshots)) await writeFile(join(snapshots, name), "");

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

  const place: Place = {
    root: first.root,
    project: first.project,
    home: first.home.root,
    env: { PATH: process.env["PATH"], HOME: first.root, MULTIVERSE_HOME: first.home.root },
    remove: async () => {},
  };
  const offered = await finish(place, ["repair", "--project", first.project]);
  expect([offered.code, offered.output]).toEqual([
    1,
    expect.stringContaining("--choice last-good"),
  ]);
  const mended = await finish(place, [
    "repair",
    "--project",
    first.project,
    "--choice",
    "last-good",
  ]);
  expect([mended.code, mended.output]).toEqual([0, expect.stringContaining("damaged/")]);

  server = await startTestServer({ root: first.root });
  expect((await server.post(`${server.ws}/tasks`, { title: "again" })).status).toBe(201);
}, 60_000);
