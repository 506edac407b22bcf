import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TaskFile } from "@multiverse/protocol/task-file";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/paths.mjs";
import { runCommand } from "../harness/run-command.ts";
import { finish, makePlace, type Place } from "../server/program.ts";

const GOLDEN = "TODO アプリを作成して";
let place: Place;
beforeEach(async () => void (place = await makePlace()));
afterEach(() => place.remove());

test(
  "GT-1: the task builder prints a task file for the golden sentence that agent-runner takes",
  { timeout: 60_000 },
  async () => {
    const built = await runCommand(
      process.execPath,
      [join(root, "dist/multiverse.mjs"), "task", GOLDEN, "--print", "--demo"],
      { cwd: place.project, env: place.env },
    );
    expect(built, built.stderr).toMatchObject({ code: 0, stderr: "demo agent: scripted, no AI\n" });
    const { task, runner } = TaskFile.parse(parse(built.stdout));
    expect(task).toMatchObject({ id: expect.stringMatching(/^task-/), repo: "." });
    expect(task.title).toContain(GOLDEN);
    expect(task.prd.text).toContain(GOLDEN);
    expect(task.prd.text).toMatch(/Acceptance criteria:\n- /);
    expect(runner).toMatchObject({ max_loops: 5, worker: { kind: "mock" } });

    const file = join(place.root, "task.yaml");
    await writeFile(file, built.stdout);
    const dry = await runCommand(
      process.execPath,
      [join(root, "dist/agent-runner.mjs"), "--dry-run", "--task", file],
      { cwd: place.project, env: place.env },
    );
    expect(dry, dry.stderr).toMatchObject({ code: 0 });
    expect(parse(dry.stdout)).toMatchObject({ task: { id: task.id, repo: place.project } });
  },
);

test("the same sentence without --print is done to its end", { timeout: 60_000 }, async () => {
  const args = ["task", GOLDEN, "--demo", "--project", place.project];
  const { code, output } = await finish(place, args);
  expect(code, output).toBe(0);
  expect(output).toContain("COMPLETE");
});
