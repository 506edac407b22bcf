import { watch, type FSWatcher } from "node:fs";
import { lstat, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { toSnake } from "@multiverse/protocol/case";
import { errorBody } from "@multiverse/protocol/error";
import type { Fact } from "@multiverse/protocol/fact";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import { noUsage } from "@multiverse/protocol/usage";
import type { Orchestrator } from "../orchestrator.ts";
import type { Ports } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";
import {
  claim,
  openJobFolders,
  poolFolders,
  setAside,
  waitingJobs,
  writeWhole,
} from "./job-folders.ts";
import { readJob } from "./read-job.ts";

/** The safety net behind file watching; events bring a job in a few milliseconds. */
const RESCAN_MS = 2_000;
/** How long a file may take to become readable before it counts as bad. */
const WRITING_MS = 300;

export interface Queue {
  close(): Promise<void>;
}

interface Job {
  readonly id: string;
  readonly taskId: string;
  result: RunResult | null;
  attemptId: string | null;
}

/** Serves `ipc/queue/`: each job runs one task now, and its end is written to `ipc/results/`. */
export async function serveQueue(
  workspace: Workspace,
  orchestrator: Pick<Orchestrator, "runTask">,
  ports: Pick<Ports, "log">,
): Promise<Queue> {
  const folders = await openJobFolders(workspace.dir);
  const jobs = new Map<string, Job>();
  const watchers = new Map<string, FSWatcher>();
  let closed = false;
  let scanning: Promise<void> = Promise.resolve();

  const refuse = async (path: string, reason: string): Promise<void> => {
    await setAside(path, basename(path), folders.bad, reason);
    ports.log("warn", "a job file was put aside", { file: basename(path), reason });
  };

  async function take(path: string): Promise<void> {
    const read = await readJob(path);
    if ("problem" in read) return (await isFresh(path)) ? later() : refuse(path, read.problem);
    const { job } = read;
    if (job.workspaceId !== workspace.id)
      return refuse(path, `it is for workspace ${job.workspaceId}, this is ${workspace.id}`);
    if (!workspace.state.tasks.has(job.taskId))
      return refuse(path, `there is no task ${job.taskId}`);
    if (await exists(join(folders.results, `${job.id}.json`)))
      return refuse(path, `job ${job.id} has been done already`);
    const claimed = await claim(path, folders.processing, job.id);
    if (claimed === "taken") return refuse(path, `job ${job.id} is being done already`);
    if (claimed === "claimed") await begin(job);
  }

  async function begin({ id, taskId }: { id: string; taskId: string }): Promise<void> {
    jobs.set(id, { id, taskId, result: null, attemptId: null });
    if (workspace.state.tasks.get(taskId)?.progress === "running") return; // it runs now, which is what was asked for
    try {
      await orchestrator.runTask(taskId);
    } catch (error) {
      jobs.delete(id);
      await refuse(join(folders.processing, `${id}.json`), errorBody(error).error.message);
    }
  }

  async function finish(job: Job, task: Task | undefined): Promise<void> {
    jobs.delete(job.id);
    const result = job.result ?? withoutResult(job.taskId, task);
    const document = { ...toSnake(result), job_id: job.id, attempt_id: job.attemptId ?? "" };
    await writeWhole(
      join(folders.results, `${job.id}.json`),
      `${JSON.stringify(document, null, 2)}\n`,
    );
    await rm(join(folders.processing, `${job.id}.json`), { force: true });
  }

  function onFacts(facts: readonly Fact[], state: WorkspaceState): void {
    for (const fact of facts) {
      if (fact.kind !== "attempt.finished") continue;
      for (const job of jobs.values())
        if (job.taskId === fact.payload.taskId)
          Object.assign(job, { result: fact.payload.result, attemptId: fact.payload.attemptId });
    }
    for (const job of jobs.values()) {
      const task = state.tasks.get(job.taskId);
      if (job.attemptId !== null || !task ? isSettled(task) : false)
        void finish(job, task).catch((error: unknown) =>
          ports.log("error", "a job's result could not be written", {
            job_id: job.id,
            error: String(error),
          }),
        );
    }
  }

  /** Jobs that were being done when an earlier process of ours ended. */
  async function resume(): Promise<void> {
    for (const name of await readdir(folders.processing)) {
      const path = join(folders.processing, name);
      const read = await readJob(path);
      if ("problem" in read) await refuse(path, read.problem);
      else await resumeJob(read.job, (await stat(path)).ctime);
    }
  }

  async function resumeJob(job: { id: string; taskId: string }, claimedAt: Date): Promise<void> {
    const task = workspace.state.tasks.get(job.taskId);
    const done = task && isSettled(task) && new Date(task.updatedAt) > claimedAt && task.outcome;
    if (!done) return begin(job);
    const attempt: unknown = JSON.parse(
      await readFile(join(workspace.dir, "attempts", `${done.attemptId}.json`), "utf8").catch(
        () => "{}",
      ),
    );
    const result = (attempt as { result?: RunResult }).result ?? null;
    await finish({ ...job, result, attemptId: done.attemptId }, task);
  }

  async function scan(): Promise<void> {
    if (closed) return;
    await watchFolders();
    for (const path of await waitingJobs(folders.queue)) if (!closed) await take(path);
  }

  /** Watched before it is listed, so that what comes in between is seen. */
  async function watchFolders(): Promise<void> {
    watchFolder(folders.queue);
    for (const folder of await poolFolders(folders.queue)) watchFolder(folder);
  }

  function watchFolder(folder: string): void {
    if (watchers.has(folder) || closed) return;
    const watcher = watch(folder, soon);
    watcher.on("error", () => watchers.delete(folder)); // removed folder: the rescan sees to it
    watchers.set(folder, watcher);
  }

  const soon = (): void => {
    scanning = scanning
      .then(scan)
      .catch((error: unknown) =>
        ports.log("error", "the job queue could not be read", { error: String(error) }),
      );
  };

  const later = (): void => {
    setTimeout(soon, WRITING_MS).unref();
  };

  const unsubscribe = workspace.subscribe(onFacts);
  await resume();
  soon();
  const timer = setInterval(soon, RESCAN_MS);
  timer.unref();
  return {
    async close() {
      closed = true;
      clearInterval(timer);
      for (const watcher of watchers.values()) watcher.close();
      unsubscribe();
      await scanning;
    },
  };
}

/** A file that was touched a moment ago may still be being written. */
const isFresh = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => info.isFile() && Date.now() - info.mtimeMs < WRITING_MS,
    () => true,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Nothing more will happen to it by itself. */
const isSettled = (task: Task | undefined): boolean =>
  !task || task.waitingFor !== null || (task.progress !== "waiting" && task.progress !== "running");

/** A task can end without agent-runner ever saying so (cancelled, lost, deleted); the asker still gets an answer. */
const withoutResult = (taskId: string, task: Task | undefined): RunResult => ({
  taskId,
  status: "failed",
  state: "FAILED",
  summary: task ? `The task ended ${task.progress} without a result.` : "The task was deleted.",
  reason: "canceled",
  question: null,
  retryAt: null,
  criteria: [],
  validation: { overall: "unknown", commands: [], warnings: [] },
  artifacts: { files: [], note: null },
  usage: noUsage,
  workerRuns: 0,
  metaCalls: 0,
  loops: 0,
  durationMs: 0,
});
