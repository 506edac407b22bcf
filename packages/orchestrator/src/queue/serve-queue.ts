import { lstat, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorBody } from "@multiverse/protocol/error";
import type { Fact, FactOf } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import type { Orchestrator } from "../orchestrator.ts";
import type { Ports } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";
import { FolderWatch } from "./folder-watch.ts";
import {
  claim,
  openJobFolders,
  setAside,
  waitingJobs,
  writeWhole,
  type JobFolders,
} from "./job-folders.ts";
import { resultOf, resultText, type Job } from "./job-result.ts";
import { readJob } from "./read-job.ts";

/** How long a file may take to become readable before it counts as bad. */
const WRITING_MS = 300;

export interface Queue {
  close(): Promise<void>;
}

type RunTask = Pick<Orchestrator, "runTask">;

/** Serves `ipc/queue/`: each job runs one task now, and its end is written to `ipc/results/`. */
export async function serveQueue(
  workspace: Workspace,
  orchestrator: RunTask,
  ports: Pick<Ports, "log">,
): Promise<Queue> {
  const folders = await openJobFolders(workspace.dir);
  const queue = new JobQueue(workspace, orchestrator, ports, folders);
  await queue.open();
  return queue;
}

class JobQueue implements Queue {
  private readonly workspace: Workspace;
  private readonly orchestrator: RunTask;
  private readonly ports: Pick<Ports, "log">;
  private readonly folders: JobFolders;
  private readonly jobs = new Map<string, Job>();
  private readonly unsubscribe: () => void;
  private readonly watch: FolderWatch;
  private closed = false;
  private scanning: Promise<void> = Promise.resolve();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    workspace: Workspace,
    orchestrator: RunTask,
    ports: Pick<Ports, "log">,
    folders: JobFolders,
  ) {
    this.workspace = workspace;
    this.orchestrator = orchestrator;
    this.ports = ports;
    this.folders = folders;
    this.watch = new FolderWatch(folders.queue, () => this.scanSoon());
    this.unsubscribe = workspace.subscribe((facts, state) => this.onFacts(facts, state));
  }

  async open(): Promise<void> {
    await this.resume();
    this.scanSoon();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.watch.close();
    this.unsubscribe();
    await this.scanning;
    await this.writing;
  }

  /** Jobs that were being done when an earlier process of ours ended. */
  private async resume(): Promise<void> {
    for (const name of await readdir(this.folders.processing)) {
      const path = join(this.folders.processing, name);
      const read = await readJob(path);
      if ("problem" in read) await this.refuse(path, read.problem);
      else await this.resumeJob(read.job, (await stat(path)).ctime);
    }
  }

  private async resumeJob(
    { id, taskId }: { id: string; taskId: string },
    claimedAt: Date,
  ): Promise<void> {
    const task = this.workspace.state.tasks.get(taskId);
    const done = task && isSettled(task) && new Date(task.updatedAt) > claimedAt && task.outcome;
    if (!done) return this.begin(id, taskId);
    const { attemptId } = done;
    await this.finish(
      { id, taskId, result: await resultOf(this.workspace.dir, attemptId), attemptId },
      task,
    );
  }

  private scanSoon(): void {
    this.scanning = this.scanning
      .then(() => this.scan())
      .catch((error: unknown) =>
        this.ports.log("error", "the job queue could not be read", { error: String(error) }),
      );
  }

  private async scan(): Promise<void> {
    if (this.closed) return;
    await this.watch.refresh();
    for (const path of await waitingJobs(this.folders.queue))
      if (!this.closed) await this.take(path);
  }

  private async take(path: string): Promise<void> {
    const read = await readJob(path);
    if ("problem" in read) {
      if (await isFresh(path)) setTimeout(() => this.scanSoon(), WRITING_MS).unref();
      else await this.refuse(path, read.problem);
      return;
    }
    const { id, taskId, workspaceId } = read.job;
    const problem = await this.problemWith(id, taskId, workspaceId);
    if (problem) return this.refuse(path, problem);
    const claimed = await claim(path, this.folders.processing, id);
    if (claimed === "taken") return this.refuse(path, `job ${id} is being done already`);
    if (claimed === "claimed") await this.begin(id, taskId);
  }

  private async problemWith(
    id: string,
    taskId: string,
    workspaceId: string,
  ): Promise<string | null> {
    if (workspaceId !== this.workspace.id)
      return `it is for workspace ${workspaceId}, this is ${this.workspace.id}`;
    if (!this.workspace.state.tasks.has(taskId)) return `there is no task ${taskId}`;
    if (await exists(join(this.folders.results, `${id}.json`)))
      return `job ${id} has been done already`;
    return null;
  }

  private async begin(id: string, taskId: string): Promise<void> {
    this.jobs.set(id, { id, taskId, result: null, attemptId: null });
    if (this.workspace.state.tasks.get(taskId)?.progress === "running") return; // it runs now, which is what was asked for
    try {
      await this.orchestrator.runTask(taskId);
    } catch (error) {
      this.jobs.delete(id);
      const { message } = errorBody(error).error;
      await this.refuse(join(this.folders.processing, `${id}.json`), message);
    }
  }

  private onFacts(facts: readonly Fact[], state: WorkspaceState): void {
    const givenUp = new Set(facts.filter(isGivenUp).map((fact) => fact.payload.taskId));
    for (const fact of facts) {
      if (fact.kind !== "attempt.finished") continue;
      const { taskId, attemptId, result } = fact.payload;
      for (const job of this.jobs.values())
        if (job.taskId === taskId) this.jobs.set(job.id, { ...job, attemptId, result });
    }
    for (const job of this.jobs.values()) {
      const task = state.tasks.get(job.taskId);
      // Before its first attempt ended, what the task came to earlier says nothing about this job.
      const isOver = job.attemptId === null ? !task || givenUp.has(job.taskId) : isSettled(task);
      if (isOver) this.finishSoon(job, task);
    }
  }

  private finishSoon(job: Job, task: Task | undefined): void {
    this.jobs.delete(job.id);
    this.writing = this.writing
      .then(() => this.finish(job, task))
      .catch((error: unknown) =>
        this.ports.log("error", "a job's result could not be written", {
          job_id: job.id,
          error: String(error),
        }),
      );
  }

  private async finish(job: Job, task: Task | undefined): Promise<void> {
    await writeWhole(join(this.folders.results, `${job.id}.json`), resultText(job, task));
    await rm(join(this.folders.processing, `${job.id}.json`), { force: true });
  }

  private async refuse(path: string, reason: string): Promise<void> {
    await setAside(path, basename(path), this.folders.bad, reason);
    this.ports.log("warn", "a job file was put aside", { file: basename(path), reason });
  }
}

/** A file that was touched a moment ago may still be being written. */
const isFresh = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => info.isFile() && Math.abs(Date.now() - info.mtimeMs) < WRITING_MS,
    () => true,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const isGivenUp = (fact: Fact): fact is FactOf<"task.canceled"> | FactOf<"task.skipped"> =>
  fact.kind === "task.skipped" || (fact.kind === "task.canceled" && !fact.payload.stopped);

/** Nothing more will happen to it by itself. */
const isSettled = (task: Task | undefined): boolean =>
  !task || task.waitingFor !== null || (task.progress !== "waiting" && task.progress !== "running");
