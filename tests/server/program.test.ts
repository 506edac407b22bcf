import { execFileSync } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@multiverse/server/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  clientOf,
  finish,
  makePlace,
  readServerJson,
  serveDemo,
  stopAll,
  workspaceOf,
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

async function serve(args: readonly string[] = []): Promise<Started> {
  const one = await serveDemo(place, args);
  started.push(one);
  return one;
}
async function say(client: Client, text: string): Promise<string> {
  const ws = await workspaceOf(client);
  const workspace = client.api.inWorkspace(ws);
  await workspace.sendMessage((await workspace.newSession()).id, text);
  return ws;
}
const statuses = async (client: Client, ws: string): Promise<string[]> =>
  (await client.api.inWorkspace(ws).tasks()).tasks.map(({ status }) => status);
const runningPids = async (client: Client, ws: string): Promise<number[]> =>
  (await client.api.inWorkspace(ws).processes()).processes.flatMap(({ pid }) => pid ?? []);
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const long = { timeout: 60_000, interval: 100 };

describe("the server as a process", () => {
  test("writes server.json for its user alone and keeps token and port over a restart", async () => {
    // Not one of those that servers of other tests try first: they would take it between the stop and the start.
    const first = await serve(["--port", String(20_000 + (process.pid % 10_000))]);
    const before = await readServerJson(place);
    expect((await stat(join(place.home, "server.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(place.home)).mode & 0o777).toBe(0o700);
    expect(first.output()).toContain("demo agent: scripted, no AI");
    expect(first.output()).not.toContain(before.token);
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(await readServerJson(place)).toMatchObject({ pid: 0, token: before.token });
    await serve();
    expect(await readServerJson(place)).toMatchObject({ url: before.url, token: before.token });
  }, 60_000);

  test("a mistyped command makes no folder and starts nothing", async () => {
    const { code, output } = await finish(place, ["statsu"]);
    expect(code).toBe(1);
    expect(output).toContain("there is no command and no folder statsu");
    expect(await readdir(place.root)).toEqual(["home", "project"]);
  });

  test("a second one opens its folder in the first and ends", async () => {
    await serve();
    const other = join(place.root, "other");
    const second = await finish(place, [other, "--no-open"]);
    expect(second.code).toBe(0);
    expect(second.output).toMatch(/ready at \S+#code=/);
    const { workspaces } = await (await clientOf(place)).api.workspaces();
    expect(workspaces.map(({ projectRoot, open }) => [projectRoot, open])).toEqual([
      [other, true],
      [place.project, true],
    ]);
  }, 60_000);

  test("a workspace that another process has open is refused with code 3, its pid and its address", async () => {
    const { child } = await serve();
    const client = await clientOf(place);
    const id = await workspaceOf(client);
    const { code, output } = await finish(place, ["orchestrate", "--workspace", id, "--demo"]);
    expect(code).toBe(3);
    expect(output).toContain(String(child.pid));
    expect(output).toContain(client.url);
  }, 60_000);

  test.each([
    ["--host", "0.0.0.0"],
    ["--host", "::"],
    ["--host", "192.168.0.1"],
  ])("%s %s without a password and TLS is refused", async (...flags) => {
    const { code, output } = await finish(place, [place.project, "--no-open", ...flags]);
    expect(code).toBe(1);
    expect(output).toContain("--password-file");
  });

  test("a rotated token is the only one that works", async () => {
    await serve();
    const before = await clientOf(place);
    expect((await finish(place, ["token", "rotate"])).code).toBe(0);
    await expect(before.api.workspaces()).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    await expect((await clientOf(place)).api.workspaces()).resolves.toBeDefined();
  }, 60_000);
});

describe("work in progress", () => {
  test("a plan that a killed server left half done is done after the next start", async () => {
    const first = await serve();
    const ws = await say(await clientOf(place), "Create a TODO app");
    await expect.poll(async () => statuses(await clientOf(place), ws), long).toContain("RUNNING");
    first.child.kill("SIGKILL");
    await first.exit;
    await serve();
    const client = await clientOf(place);
    await expect
      .poll(async () => [...new Set(await statuses(client, ws))], {
        timeout: 100_000,
        interval: 200,
      })
      .toEqual(["SUCCEEDED"]);
    expect(await readdir(place.project)).toEqual(expect.arrayContaining(["public", "src", "test"]));
    const notes = (await readdir(join(place.project, ".agent-runner"))).filter((n) =>
      n.endsWith(".md"),
    );
    expect(notes).toHaveLength(6);
  }, 150_000);

  test("at a stop running attempts are stopped and the plan opens paused", async () => {
    place = await makePlace({ MULTIVERSE_DEMO_DELAY: "5" });
    const first = await serve();
    const client = await clientOf(place);
    const ws = await say(client, "Create a TODO app");
    await expect.poll(() => runningPids(client, ws), long).not.toEqual([]);
    const pids = await runningPids(client, ws);
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    await serve();
    const { output } = await finish(place, ["status", "--json", "--project", place.project]);
    expect(JSON.parse(output)).toMatchObject({
      execution: { status: "PAUSED", pausedFor: "shutdown" },
    });
  }, 90_000);

  test("with --detach they go on and are taken over by the next start", async () => {
    place = await makePlace({ MULTIVERSE_DEMO_DELAY: "3" });
    const first = await serve(["--detach"]);
    const client = await clientOf(place);
    const ws = await say(client, "Create a TODO app");
    await expect.poll(() => runningPids(client, ws), long).not.toEqual([]);
    const pids = await runningPids(client, ws);
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    expect(pids.filter(isAlive)).toEqual(pids);
    await serve();
    const again = await clientOf(place);
    await expect.poll(async () => statuses(again, ws), long).toContain("SUCCEEDED");
    const history = join(place.home, "workspaces", ws, "history");
    const texts = await Promise.all(
      (await readdir(history)).map((name) => readFile(join(history, name), "utf8")),
    );
    expect(
      texts
        .join("")
        .split("\n")
        .filter((line) => line.includes('"attempt.started"') && line.includes("task-0001")),
    ).toHaveLength(1);
  }, 120_000);
});

describe("the command line", () => {
  test("shows what waits for a person, takes the answer, and prints what workers said", async () => {
    await serve();
    const client = await clientOf(place);
    const ws = await say(client, "Create a TODO app");
    const inProject = ["--project", place.project];
    const items = async (flags: readonly string[] = []): Promise<{ id: string }[]> => {
      const { output } = await finish(place, ["backlog", "--json", ...flags, ...inProject]);
      return (JSON.parse(output) as { items: { id: string }[] }).items;
    };
    await expect.poll(() => items(), long).toHaveLength(1);
    const [item] = await items();
    const answered = await finish(place, [
      "answer",
      item?.id ?? "",
      "Yes, in a file",
      ...inProject,
    ]);
    expect([answered.code, answered.output]).toEqual([0, "done\n"]);
    expect(await items()).toEqual([]);
    expect(await items(["--all"])).toMatchObject([{ resolution: "Yes, in a file" }]);
    await expect.poll(() => statuses(client, ws), long).toContain("SUCCEEDED");
    const logs = await finish(place, ["logs", "task-0001", ...inProject]);
    expect([logs.code, logs.output.length > 50]).toEqual([0, true]);
    const snapshots = await finish(place, ["snapshot", "create", "--json", ...inProject]);
    expect(JSON.parse(snapshots.output)).toMatchObject({
      id: expect.stringContaining("snapshot-"),
    });
    const listed = await finish(place, ["snapshot", "list", ...inProject]);
    expect(listed.output).toContain("snapshot-");
    const shown = await finish(place, ["plan", ...inProject]);
    expect(shown.output).toMatch(/SUCCEEDED {2}task-0001 {2}Design the TODO app/);
    const undone = await finish(place, ["undo", ...inProject]);
    expect([undone.code, undone.output]).toEqual([0, expect.stringContaining("− Design the")]);
    const empty = await finish(place, ["plan", ...inProject]);
    expect(empty.output).toContain("the plan is empty");
    const changes = await finish(place, ["plan", "--changes", "--json", ...inProject]);
    const listedChanges = JSON.parse(changes.output) as { changes: { seq: number; by: string }[] };
    expect(listedChanges.changes.map(({ by }) => by)).toEqual(["meta-agent", "undo"]);
    const at = String(listedChanges.changes[0]?.seq);
    const was = await finish(place, ["plan", "--at", at, ...inProject]);
    expect(was.output).toContain("Design the TODO app");
    const again = await finish(place, ["undo", ...inProject]);
    expect([again.code, again.output]).toEqual([1, expect.stringContaining("no plan change")]);
  }, 120_000);

  test("run does the whole thing in a terminal and says so in its exit code", async () => {
    const { code, output } = await finish(place, [
      "run",
      "Say hello",
      "--project",
      place.project,
      "--demo",
      "--until-idle",
      "--json",
    ]);
    expect([code, output]).toEqual([0, expect.stringContaining('"status":"SUCCEEDED"')]);
  }, 90_000);

  test("run tells of changes that are not committed before the first task", async () => {
    execFileSync("git", ["init", "-q"], { cwd: place.project });
    await writeFile(join(place.project, "mine.txt"), "not committed");
    const args = ["run", "Say hello", "--project", place.project, "--demo", "--until-idle"];
    const { code, output } = await finish(place, args);
    expect([code, output]).toEqual([0, expect.stringContaining("not committed (1): mine.txt")]);
    expect(output.indexOf("mine.txt")).toBeLessThan(output.indexOf("SUCCEEDED"));
  }, 90_000);

  test("task --print shows a Task YAML for one sentence", async () => {
    const { code, output } = await finish(place, [
      "task",
      "TODO アプリを作成して",
      "--print",
      "--demo",
    ]);
    expect(code).toBe(0);
    expect(output).toContain("title: TODO アプリを作成して");
    expect(output).toMatch(/kind: mock/);
  }, 60_000);

  test("doctor works without a server, and its report for a bug holds no secret", async () => {
    place = await makePlace({ OPENAI_API_KEY: "sk-canary-0123456789" });
    const { code, output } = await finish(place, ["doctor", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ id: "docker" })]),
    });
    const bundled = await finish(place, ["doctor", "--bundle", "report.json"]);
    expect(bundled.code).toBe(0);
    const report = await readFile(join(place.root, "report.json"), "utf8");
    expect(report).toContain("OPENAI_API_KEY");
    expect(report).not.toContain("sk-canary");
  }, 60_000);

  test.each([
    [["status"], "Start one with"],
    [["--port", "x"], "a port is a number"],
    [["nonsense", "--what"], "unknown option"],
    [["snapshot", "burn"], "create, list or restore"],
  ])("%j fails with what to do", async (args, words) => {
    const { code, output } = await finish(place, args);
    expect([code, output]).toEqual([1, expect.stringContaining(words)]);
  });
});
