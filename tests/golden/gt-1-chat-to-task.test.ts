import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { TaskFile } from "@multiverse/protocol/task-file";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/paths.mjs";
import { runCommand } from "../harness/run-command.ts";
import { clientOf, makePlace, serveDemo, type Place, type Started } from "../server/program.ts";

const GOLDEN = "TODO アプリを作成して";

let place: Place;
let server: Started;

beforeEach(async () => {
  place = await makePlace();
  server = await serveDemo(place);
});
afterEach(async () => {
  server.child.kill("SIGTERM");
  await server.exit;
  await place.remove();
});

test(
  "GT-1: a sentence in the chat becomes a task file that agent-runner takes",
  { timeout: 60_000 },
  async () => {
    const { api } = await clientOf(place);
    const { id } = await api.openWorkspace(place.project);
    const workspace = api.inWorkspace(id);
    await workspace.sendMessage((await workspace.newSession()).id, GOLDEN);

    const runs = join(place.home, "workspaces", id, "runs");
    const names = () => readdir(runs).catch(() => []);
    await expect.poll(names, { timeout: 30_000 }).not.toEqual([]);
    const [attempt] = await names();
    const file = join(runs, attempt!, "task.yaml");
    await expect.poll(() => readFile(file, "utf8").catch(() => "")).not.toBe("");

    const text = await readFile(file, "utf8");
    const { task, runner } = TaskFile.parse(parse(text));
    const known = await readdir(join(place.home, "workspaces", id, "design/nodes"));
    expect(known).toContain(`${task.id}.json`);
    expect(task.title).toContain("TODO");
    expect(task.prd.text).toContain(GOLDEN);
    expect([runner.meta.kind, runner.worker.kind]).toEqual(["mock", "mock"]);

    const resolved = await runCommand(
      process.execPath,
      [join(root, "dist/agent-runner.mjs"), "--dry-run", "--task", file],
      { cwd: place.project, env: place.env },
    );
    expect(resolved, resolved.stderr).toMatchObject({ code: 0 });
    expect(parse(resolved.stdout)).toMatchObject({ task: { id: task.id, repo: place.project } });
  },
);
