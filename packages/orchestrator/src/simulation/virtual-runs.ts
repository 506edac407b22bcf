import type { Random } from "@multiverse/protocol/clock";
import type { RunEvent } from "@multiverse/protocol/run-event";
import type { RunEnd, RunRequest, RunTask } from "../ports.ts";
import { failedResult, runResult, type Script } from "../testing/fake-runs.ts";
import type { VirtualClock } from "./virtual-clock.ts";

interface Run {
  readonly request: RunRequest;
  endsAt: number;
  outcome: Script;
  over: boolean;
  /** Somebody asked it to stop; it is on its way out. */
  stopping: boolean;
  /** Whoever waits for its end; one of a dead process is never told. */
  heard: (() => void)[];
}

/** Runs that live in the world, not in the process that started them: a crash leaves them running. */
export class VirtualRuns implements RunTask {
  readonly all = new Map<string, Run>();
  /** Grows whenever something happens, so that a simulation can tell when all is quiet. */
  activity = 0;
  readonly problems: string[] = [];
  private readonly troubles = new Map<string, number>();
  private readonly clock: VirtualClock;
  private readonly random: Random;
  private readonly onStart: (request: RunRequest) => void;

  constructor(clock: VirtualClock, random: Random, onStart: (request: RunRequest) => void) {
    this.clock = clock;
    this.random = random;
    this.onStart = onStart;
  }

  get live(): Run[] {
    return [...this.all.values()].filter((run) => !run.over);
  }

  async start(request: RunRequest): Promise<void> {
    this.activity += 1;
    if (this.live.some((run) => run.request.taskId === request.taskId))
      this.problems.push(`two live runs of ${request.taskId}`);
    this.onStart(request);
    const endsAt = this.clock.time + 1_000 + Math.floor(this.random() * 60_000);
    const outcome = this.draw(request);
    const run = { request, endsAt, outcome, over: false, stopping: false, heard: [] };
    this.all.set(request.attemptId, run);
  }

  /** Most runs succeed; a task has at most two troubles in a row, so that every plan can end. */
  private draw({ taskId }: RunRequest): Script {
    const troubles = this.troubles.get(taskId) ?? 0;
    const chance = this.random();
    if (troubles >= 2 || chance > 0.25) return { result: runResult(taskId) };
    this.troubles.set(taskId, troubles + 1);
    if (chance > 0.15) return { result: failedResult(taskId) };
    if (chance > 0.08) return "die";
    const retryAt = new Date(this.clock.now().getTime() + 120_000).toISOString();
    const limited = {
      status: "blocked",
      state: "FAILED",
      reason: "rate_limited",
      retryAt,
    } as const;
    return { result: runResult(taskId, limited) };
  }

  async *follow(attemptId: string, signal: AbortSignal): AsyncGenerator<RunEvent, RunEnd> {
    const run = this.all.get(attemptId);
    if (!run) return { how: "lost", stderrTail: "" };
    await this.end(run, signal);
    this.activity += 1;
    if (run.outcome === "die") return { how: "died", stderrTail: "boom" };
    if (run.outcome === "lose" || run.outcome === "hang" || signal.aborted)
      return { how: "lost", stderrTail: "" };
    const { traceId, taskId } = run.request;
    const stamp = { v: 1, at: this.clock.now().toISOString(), traceId, taskId } as const;
    yield { ...stamp, type: "finished", result: run.outcome.result };
    return { how: "finished", stderrTail: "" };
  }

  /** Like a process: it takes its time to stop, and may finish its work on the way out. */
  async stop(attemptId: string): Promise<void> {
    const run = this.all.get(attemptId);
    if (!run || run.over) return;
    if (!run.stopping) this.activity += 1;
    run.stopping = true;
    run.endsAt = Math.min(run.endsAt, this.clock.time + Math.floor(this.random() * 15_000));
    const canceled = { status: "failed", state: "FAILED", reason: "canceled" } as const;
    if (this.random() < 0.7) run.outcome = { result: runResult(run.request.taskId, canceled) };
    await this.end(run);
  }

  /** kill -9 of a runner. */
  kill(run: Run): void {
    this.finish(run, "lose");
  }

  get next(): number | null {
    const times = this.live.map((run) => run.endsAt);
    return times.length > 0 ? Math.min(...times) : null;
  }

  endDue(): void {
    for (const run of this.live) if (run.endsAt <= this.clock.time) this.finish(run, run.outcome);
  }

  /** The process that waited for them is gone. */
  forgetFollowers(): void {
    for (const run of this.all.values()) run.heard = [];
  }

  private end(run: Run, signal?: AbortSignal): Promise<void> {
    if (run.over) return Promise.resolve();
    return new Promise((resolve) => {
      run.heard.push(resolve);
      signal?.addEventListener("abort", () => resolve());
    });
  }

  private finish(run: Run, outcome: Script): void {
    this.activity += 1;
    run.outcome = outcome;
    run.over = true;
    for (const tell of run.heard.splice(0)) tell();
  }
}
