import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@multiverse/agents/log";
import { planOf, stamped, started, commit } from "@multiverse/orchestrator/testing/states";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import type { NewFact } from "@multiverse/protocol/fact";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepHouse } from "./keep-house.ts";

let dir: string;
let leave: () => void = () => {};
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "house-"));
  for (const folder of ["runs", "logs/attempts", "attempts"])
    await mkdir(join(dir, folder), { recursive: true });
});
afterEach(async () => {
  leave();
  await rm(dir, { recursive: true, force: true });
});

const ended = (taskId: string): NewFact => ({
  kind: "attempt.finished",
  payload: {
    attemptId: `att-${taskId}`,
    taskId,
    status: "LOST",
    finishedAt: "2026-01-01T00:00:00.000Z",
    errorSummary: "",
    result: null,
  },
});
const running = started(planOf({ a: [], b: [], c: [] }), "task-0001", {
  at: "2026-01-01T00:00:01.000Z",
});
const facts = [ended("task-0001")];
const over = commit(running, facts);
const both = started(over, "task-0002", { at: "2026-01-01T00:00:02.000Z" });

function house(damage: Workspace["damage"] = null, state = both, keepAttempts = 1) {
  const sweeps: string[] = [];
  const wakes: (() => void)[] = [];
  let tell: (all: ReturnType<typeof stamped>) => void = () => {};
  leave = keepHouse({
    workspace: {
      id: "ws",
      dir,
      state,
      damage,
      subscribe: (listener) => {
        tell = (all) => listener(all, state);
        return () => {};
      },
    },
    keepAttempts: () => keepAttempts,
    cleanUp: async (id) => sweeps.push(id),
    clock: { sleep: () => new Promise((resolve) => wakes.push(resolve)) },
    log: createLogger({ level: "error", format: "json", write: () => {} }),
  });
  return { sweeps, wakes, tell: () => tell(stamped(running, facts)) };
}

const left = async (): Promise<string[]> =>
  (await Promise.all(["runs", "logs/attempts", "attempts"].map((f) => readdir(join(dir, f)))))
    .flat()
    .sort();

test("of old attempts nothing is left but the newest, those that run, and what is not ours", async () => {
  for (const id of ["att-task-0001", "att-task-0002", "att-forgotten"]) {
    await mkdir(join(dir, "runs", id));
    await writeFile(join(dir, "logs/attempts", `${id}.log`), "");
    await writeFile(join(dir, "attempts", `${id}.json`), "");
  }
  await writeFile(join(dir, "logs/attempts", "notes.txt"), "");
  house();
  await expect
    .poll(left)
    .toEqual([
      "att-task-0001.json",
      "att-task-0002",
      "att-task-0002.json",
      "att-task-0002.log",
      "notes.txt",
    ]);
});

test("in a damaged workspace nothing is removed", async () => {
  await mkdir(join(dir, "runs/att-task-0001"));
  const { sweeps } = house({ file: "actions.jsonl", offset: 0, problem: "x" });
  await expect.poll(() => sweeps).toHaveLength(1);
  expect(await left()).toEqual(["att-task-0001"]);
});

test("a run that died is swept after at once, and once more when its last wish may have come true", async () => {
  const { sweeps, wakes, tell } = house();
  await expect.poll(() => sweeps).toHaveLength(1);
  tell();
  await expect.poll(() => wakes).toHaveLength(1);
  expect(sweeps).toHaveLength(2);
  wakes[0]?.();
  await expect.poll(() => sweeps).toHaveLength(3);
});
