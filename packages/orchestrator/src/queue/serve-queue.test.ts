import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { JobResult } from "@multiverse/protocol/job-file";
import { failedResult, fakeRuns, runResult } from "../testing/fake-runs.ts";
import { openFixture, type Fixture } from "../testing/fixture.ts";
import { serveQueue, type Queue } from "./serve-queue.ts";

const log = () => {};
let open: (Fixture & { queue: Queue })[] = [];
afterEach(async () => {
  for (const f of open) {
    await f.queue.close();
    await f.close();
  }
  open = [];
});

async function fixture(runs = fakeRuns((request) => ({ result: runResult(request.taskId) }))) {
  const f = await openFixture({ runs });
  await f.orchestrator.changePlan([
    { op: "create", title: "a" },
    { op: "create", title: "b" },
  ]);
  const queue = await serveQueue(f.workspace, f.orchestrator, { log });
  const served = { ...f, queue };
  open.push(served);
  return served;
}

const ipc = (f: Fixture, ...path: string[]) => join(f.workspace.dir, "ipc", ...path);
const job = (f: Fixture, taskId = "task-0001", more = {}) =>
  JSON.stringify({ workspace_id: f.workspace.id, task_id: taskId, ...more });
const reasons = async (f: Fixture) => {
  const names = (await readdir(ipc(f, "bad"))).filter((name) => name.endsWith(".reason.txt"));
  return (await Promise.all(names.map((name) => readFile(ipc(f, "bad", name), "utf8")))).join("");
};

test("a job file runs its task while execution is idle, and the end is written as a result", async () => {
  const f = await fixture();
  await writeFile(ipc(f, "queue", "job-1.json"), job(f));
  await expect.poll(() => readdir(ipc(f, "results"))).toEqual(["job-1.json"]);
  const result = JobResult.parse(
    JSON.parse(await readFile(ipc(f, "results", "job-1.json"), "utf8")),
  );
  expect(result).toMatchObject({ job_id: "job-1", task_id: "task-0001", status: "succeeded" });
  expect(f.workspace.state.execution.status).toBe("IDLE");
  expect(f.workspace.state.tasks.get("task-0002")?.progress).toBe("waiting");
  await expect.poll(() => readdir(ipc(f, "processing"))).toEqual([]);
});

test("a pool's folder made later is watched too, and a finished task runs again", async () => {
  const f = await fixture();
  await mkdir(ipc(f, "queue", "codegen"), { recursive: true });
  for (const id of ["one", "two"]) {
    await writeFile(ipc(f, "queue", "codegen", `${id}.json`), job(f, "task-0001", { id }));
    await expect.poll(() => readdir(ipc(f, "results"))).toContain(`${id}.json`);
  }
  expect(f.runs.started).toHaveLength(2);
});

test("a job whose task keeps failing ends with the last failure", async () => {
  const f = await fixture(fakeRuns((request) => ({ result: failedResult(request.taskId) })));
  await writeFile(ipc(f, "queue", "job-1.json"), job(f));
  await expect.poll(() => readdir(ipc(f, "results")), { timeout: 5_000 }).toEqual(["job-1.json"]);
  expect(f.runs.started).toHaveLength(3);
});

test("bad files are put aside with the reason, and nothing runs", async () => {
  const f = await fixture();
  const outside = join(f.home, "outside.json");
  await writeFile(outside, job(f));
  await writeFile(ipc(f, "queue", "malformed.json"), "{");
  await writeFile(ipc(f, "queue", "empty.json"), "");
  await writeFile(ipc(f, "queue", "huge.json"), `{"pad":"${"x".repeat(70_000)}"}`);
  await writeFile(ipc(f, "queue", "unknown.json"), job(f, "task-9999"));
  await writeFile(
    ipc(f, "queue", "foreign.json"),
    JSON.stringify({ workspace_id: "other", task_id: "task-0001" }),
  );
  await writeFile(ipc(f, "queue", "escape.json"), job(f, "../../etc/passwd"));
  await symlink(outside, ipc(f, "queue", "link.json"));
  await link(outside, ipc(f, "queue", "hard.json"));
  execFileSync("mkfifo", [ipc(f, "queue", "fifo.json")]);
  await expect.poll(() => readdir(ipc(f, "queue"))).toEqual([]);
  const text = await reasons(f);
  for (const reason of [
    "not JSON",
    "empty",
    "larger than",
    "no task task-9999",
    "workspace other",
    "task_id",
    "a link",
    "hard link",
    "not a regular file",
  ])
    expect(text).toContain(reason);
  expect(f.runs.started).toHaveLength(0);
  expect(await readFile(outside, "utf8")).toBe(job(f));
});

test("the same job id is done once, in whatever pool it turns up again", async () => {
  const f = await fixture();
  await writeFile(ipc(f, "queue", "job-1.json"), job(f));
  await expect.poll(() => readdir(ipc(f, "results"))).toEqual(["job-1.json"]);
  await mkdir(ipc(f, "queue", "test"), { recursive: true });
  await writeFile(ipc(f, "queue", "test", "job-1.json"), job(f));
  await expect.poll(() => reasons(f)).toContain("done already");
  expect(f.runs.started).toHaveLength(1);
});

test("a job being done when the process ended is finished by the next one", async () => {
  const f = await fixture();
  await f.queue.close();
  await writeFile(ipc(f, "processing", "left.json"), job(f));
  f.queue = await serveQueue(f.workspace, f.orchestrator, { log });
  await expect.poll(() => readdir(ipc(f, "results"))).toEqual(["left.json"]);
});

test("a job whose task is cancelled before it could start gets an answer too", async () => {
  const f = await fixture();
  await f.orchestrator.changePlan([{ op: "create", title: "later", dependencies: ["task-0001"] }]);
  await writeFile(ipc(f, "queue", "job-1.json"), job(f, "task-0003"));
  await expect.poll(() => readdir(ipc(f, "processing"))).toEqual(["job-1.json"]);
  await f.until("asked for", (s) => s.tasks.get("task-0003")?.requested === true);
  await f.orchestrator.cancelTask("task-0003");
  await expect.poll(() => readdir(ipc(f, "results"))).toEqual(["job-1.json"]);
  const text = await readFile(ipc(f, "results", "job-1.json"), "utf8");
  expect(JobResult.parse(JSON.parse(text))).toMatchObject({
    status: "failed",
    reason: "canceled",
  });
  expect(f.runs.started).toHaveLength(0);
});
