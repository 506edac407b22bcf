import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  clientOf,
  finish,
  makePlace,
  readServerJson,
  serve,
  serveDemo,
  start,
  stopAll,
  type Place,
  type Started,
} from "./program.ts";

let place: Place;
const started: Started[] = [];
beforeEach(async () => {
  place = await makePlace();
});
afterEach(async () => {
  await stopAll(started);
  await place.remove();
});
const keep = (one: Started): Started => {
  started.push(one);
  return one;
};

test("of several that start at the same moment one becomes the server, and the others open their folders in it", async () => {
  const folders = ["one", "two", "three"].map((name) => join(place.root, name));
  const all = folders.map((folder) => keep(start(place, [folder, "--no-open", "--demo"])));
  for (const { output } of all)
    await expect.poll(output, { timeout: 30_000 }).toMatch(/ready at http/);
  const { pid, url } = await readServerJson(place);
  const others = all.filter(({ child }) => child.pid !== pid);
  expect(await Promise.all(others.map(({ exit }) => exit))).toEqual([0, 0]);
  for (const { output } of all) expect(output()).toContain(`ready at ${url}/`);
  const { workspaces } = await (await clientOf(place)).api.workspaces();
  const open = workspaces.filter((workspace) => workspace.open);
  expect(new Set(open.map(({ projectRoot }) => projectRoot))).toEqual(new Set(folders));
}, 60_000);

test("what a start that was killed left behind is gone after the next one", async () => {
  await mkdir(place.home, { mode: 0o700 });
  await writeFile(join(place.home, "server.json.0123456789ab.tmp"), "{");
  keep(await serveDemo(place));
  expect((await readdir(place.home)).filter((name) => name.startsWith("server."))).toEqual([
    "server.json",
  ]);
}, 60_000);

test("what only a starting server can be told is named when one is running", async () => {
  keep(await serveDemo(place));
  const args = [place.project, "--no-open", "--demo", "--port", "5000", "--detach"];
  const { code, output } = await finish(place, args);
  expect([code, output]).toEqual([
    0,
    expect.stringContaining("--port, --detach: only for a server that starts"),
  ]);
}, 60_000);

test("--demo is refused by a server that works with real agents, and nothing is asked of them", async () => {
  await mkdir(join(place.home, "config"), { recursive: true, mode: 0o700 });
  const llm = { kind: "openai-chat", model: "m", baseUrl: "http://127.0.0.1:9/v1" };
  await writeFile(join(place.home, "config/llm.json"), JSON.stringify(llm));
  keep(await serve(place));
  for (const args of [
    ["run", "Create a TODO app", "--demo", "--project", place.project],
    [place.project, "--demo", "--no-open"],
  ]) {
    const { code, output } = await finish(place, args);
    expect([code, output]).toEqual([1, expect.stringContaining("works with real agents")]);
  }
}, 60_000);

test("help and version need no home and make none", async () => {
  const nowhere = { ...place, env: { ...place.env, MULTIVERSE_HOME: "/dev/null/home" } };
  for (const args of [["--help"], ["--version"], ["help", "run"]])
    expect((await finish(nowhere, args)).code).toBe(0);
  const { code, output } = await finish(nowhere, ["doctor"]);
  expect([code, output]).toEqual([1, expect.stringContaining("MULTIVERSE_HOME")]);
  expect((await finish(place, ["--help"])).code).toBe(0);
  expect(await readdir(place.root)).toEqual(["project"]);
}, 60_000);

test("a home that is given as a relative path is the same folder for every process", async () => {
  const relative = { ...place, env: { ...place.env, MULTIVERSE_HOME: "home" } };
  const sentence = ["run", "Say hello", "--demo", "--project", place.project];
  expect((await finish(relative, [...sentence, "--until-idle"])).code).toBe(0);
  expect(await readdir(place.project)).not.toContain("home");
}, 90_000);

test("repair says that a folder was never opened, and makes nothing of it", async () => {
  for (const folder of [place.project, join(place.root, "nowhere")]) {
    const { code, output } = await finish(place, ["repair", "--project", folder]);
    expect([code, output]).toEqual([1, expect.stringContaining(`no workspace ${folder}`)]);
  }
  expect(await readdir(join(place.home, "workspaces"))).toEqual([]);
}, 60_000);

test.each([
  [["--tls-cert", "cert.pem"], "both --tls-cert and --tls-key"],
  [["--port", "0"], "1 to 65535"],
  [["--port", "http"], "1 to 65535"],
])("%j is refused before anything is started", async (flags, hint) => {
  const { code, output } = await finish(place, [place.project, "--no-open", ...flags]);
  expect([code, output]).toEqual([1, expect.stringContaining(hint)]);
});

test("a long title is whole where no terminal has an edge", async () => {
  keep(await serveDemo(place));
  const client = await clientOf(place);
  const { workspaces } = await client.api.workspaces();
  const title = "word ".repeat(60).trim();
  await client.api.inWorkspace(workspaces[0]?.id ?? "").changePlan([{ op: "create", title }]);
  for (const command of ["status", "plan"])
    expect((await finish(place, [command, "--project", place.project])).output).toContain(title);
}, 60_000);
