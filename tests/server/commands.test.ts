import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  clientOf,
  endProcess,
  finish,
  makePlace,
  readServerJson,
  serveDemo,
  start,
  workspaceOf,
  type Place,
  type Started,
} from "./program.ts";

let place: Place;
let server: Started | null;
beforeEach(async () => {
  place = await makePlace();
  server = null;
});
afterEach(async () => {
  server?.child.kill("SIGTERM");
  await server?.exit;
  await place.remove();
});

/** Sets the demo going in the workspace that was opened first. */
async function say(text: string): Promise<string> {
  const client = await clientOf(place);
  const ws = await workspaceOf(client);
  await client.api.inWorkspace(ws).sendMessage("s", text);
  return ws;
}

test("logs -f shows what is printed from now on, and Ctrl-C ends it well", async () => {
  server = await serveDemo(place);
  const following = start(place, ["logs", "-f", "--project", place.project]);
  await say("Say hello");
  const lines = (): string[] => following.output().split("\n");
  await expect
    .poll(() => lines().filter((line) => line.includes("COMPLETE")).length, { timeout: 60_000 })
    .toBeGreaterThan(0);
  following.child.kill("SIGINT");
  expect(await following.exit).toBe(0);
  // Nothing twice, whatever was read before and after the end of an attempt.
  const planned = lines().filter((line) => line.includes("PENDING → PLANNING"));
  expect(new Set(planned).size).toBe(planned.length);
}, 90_000);

test("logs -f ends with the reason when the server goes", async () => {
  server = await serveDemo(place);
  const following = start(place, ["logs", "-f", "--project", place.project]);
  await expect.poll(() => clients(), { timeout: 20_000 }).toBe(1);
  server.child.kill("SIGTERM");
  await server.exit;
  expect([await following.exit, following.output()]).toEqual([
    1,
    expect.stringContaining("the server has gone"),
  ]);
}, 60_000);

const clients = async (): Promise<number> => {
  const text = await (await clientOf(place)).text("/metrics");
  return Number(/^multiverse_socket_clients (\d+)/m.exec(text)?.[1]);
};

test("with several workspaces a command says which one it took, and what it cannot find", async () => {
  server = await serveDemo(place);
  await finish(place, [join(place.root, "other"), "--no-open"]);
  const status = await finish(place, ["status"]);
  expect([status.code, status.output]).toEqual([
    0,
    expect.stringContaining(`${join(place.root, "other")} is the one opened last`),
  ]);
  const missing = await finish(place, ["status", "--project", "nowhere"]);
  expect([missing.code, missing.output]).toEqual([
    1,
    expect.stringContaining(join(place.root, "nowhere")),
  ]);
  const silent = await finish(place, ["logs", "--project", place.project]);
  expect([silent.code, silent.output]).toEqual([0, "nothing was printed yet\n"]);
}, 60_000);

test.each([
  ["that was cut short", "{"],
  ["of a process that is not ours", { url: "http://127.0.0.1:9", pid: 1, token: "t" }],
  ["of a process that is gone", { url: "http://127.0.0.1:9", pid: 4_194_303, token: "t" }],
])(
  "a server.json %s counts as no server, and a start takes its place",
  async (_, content) => {
    await mkdir(place.home, { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(join(place.home, "server.json"), text);
    const status = await finish(place, ["status"]);
    expect([status.code, status.output]).toEqual([
      1,
      expect.stringContaining("no server is running"),
    ]);
    server = await serveDemo(place);
    expect(await readServerJson(place)).toMatchObject({ pid: server.child.pid });
  },
  60_000,
);

test("a token is changed without a server too, and where there is none that is said", async () => {
  const none = await finish(place, ["token", "rotate"]);
  expect([none.code, none.output]).toEqual([0, expect.stringContaining("no token yet")]);
  server = await serveDemo(place);
  const { token } = await readServerJson(place);
  server.child.kill("SIGTERM");
  await server.exit;
  expect((await finish(place, ["token", "rotate"])).code).toBe(0);
  expect((await readServerJson(place)).token).not.toBe(token);
}, 60_000);

test("a second Ctrl-C does not wait for the first", async () => {
  place = await makePlace({ MULTIVERSE_DEMO_DELAY: "3" });
  server = await serveDemo(place);
  const ws = await say("Create a TODO app");
  const client = await clientOf(place);
  const pids = async (): Promise<number[]> =>
    (await client.api.inWorkspace(ws).processes()).processes.flatMap(({ pid }) => pid ?? []);
  await expect.poll(pids, { timeout: 60_000 }).not.toEqual([]);
  // A run that hears nothing: a clean stop waits for it until it is ended by force.
  const [deaf = 0] = await pids();
  process.kill(deaf, "SIGSTOP");
  try {
    server.child.kill("SIGINT");
    await expect.poll(server.output).toContain("stopping…");
    server.child.kill("SIGINT");
    expect(await server.exit).toBe(130);
  } finally {
    endProcess(deaf);
  }
}, 90_000);
