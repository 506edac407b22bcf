import type { Attempt } from "@multiverse/protocol/attempt";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunEvent } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { RunningProcess } from "../orchestrator.ts";
import type { Ports, RunEnd } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";
import { finishFacts } from "./finish.ts";
import { runSignals } from "./run-signals.ts";

/** Between tries to record a result while the disk is full. */
const STORAGE_RETRY_MS = 1_000;

export interface AttemptHooks {
  onEvent(attempt: Attempt, event: RunEvent): void;
  onEnd(attempt: Attempt, result: RunResult | null): void;
}

export interface Surroundings {
  readonly workspace: Workspace;
  readonly ports: Ports;
  readonly hooks: AttemptHooks;
}

/** One run from its start (or adoption) to the facts at its end. What goes wrong here is logged, never thrown. */
export class LiveAttempt {
  readonly attempt: Attempt;
  private readonly around: Surroundings;
  /** Aborted when nobody listens any more; the run itself goes on. */
  private readonly detached = new AbortController();
  private stopping: "task" | "execution" | null = null;
  /** The run is over and its end is being recorded: nothing is left to stop. */
  private ended = false;
  private done: Promise<void> = Promise.resolve();
  private phase = "starting";
  private tool: string;
  private model: string;
  private containerId: string | null = null;

  constructor(attempt: Attempt, around: Surroundings) {
    this.attempt = attempt;
    this.around = around;
    this.tool = attempt.tool;
    this.model = attempt.model;
  }

  get process(): RunningProcess {
    const { id: attemptId, taskId, startedAt } = this.attempt;
    const { phase, tool, model, containerId } = this;
    return { taskId, attemptId, phase, tool, model, startedAt, containerId };
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  /** Resolves when the end is recorded. */
  start(taskYaml: string): Promise<void> {
    this.done = this.spawn(taskYaml).catch((error: unknown) => this.report(error));
    return this.done;
  }

  /** Hears a run again that an earlier process of ours started; one that is gone ends as lost. */
  adopt(): Promise<void> {
    this.done = this.follow().catch((error: unknown) => this.report(error));
    return this.done;
  }

  async stop(why: "task" | "execution"): Promise<void> {
    if (!this.ended) {
      this.stopping ??= why;
      await this.around.ports.runs.stop(this.attempt.id);
    }
    await this.done;
  }

  /** Stops listening; the run goes on. */
  detach(): Promise<void> {
    this.detached.abort();
    return this.done;
  }

  private async spawn(taskYaml: string): Promise<void> {
    const { runs } = this.around.ports;
    const { id: attemptId, taskId, epoch, traceId } = this.attempt;
    try {
      await runs.start({ attemptId, taskId, epoch, traceId, taskYaml });
    } catch (error) {
      await this.record(null, { how: "unstarted", stderrTail: messageOf(error) });
      return;
    }
    // Asked to stop before there was anything to stop.
    if (this.stopping !== null) await runs.stop(attemptId);
    if (!this.detached.signal.aborted) await this.follow();
  }

  private async follow(): Promise<void> {
    const { signal } = this.detached;
    let result: RunResult | null = null;
    let end: RunEnd;
    try {
      const events = this.around.ports.runs.follow(this.attempt.id, signal);
      let step = await events.next();
      for (; !step.done; step = await events.next()) {
        if (step.value.type === "finished") result = step.value.result;
        this.hear(step.value);
      }
      end = step.value;
      // Whatever wrote that, it was not this run: it counts for nobody.
      if (result !== null && result.taskId !== this.attempt.taskId)
        [result, end] = [null, { ...end, how: "malformed" }];
    } catch (error) {
      end = { how: "died", stderrTail: messageOf(error) };
    }
    if (!signal.aborted) await this.record(result, end);
  }

  private hear(event: RunEvent): void {
    const { workspace, ports, hooks } = this.around;
    const { id: attemptId, taskId } = this.attempt;
    if (event.type === "state") this.phase = event.to;
    if (event.type === "container")
      this.containerId = event.phase === "stopped" ? null : (event.containerId ?? this.containerId);
    if (event.type === "worker") [this.tool, this.model] = [event.tool, event.model];
    const taskTitle = workspace.state.nodes.get(taskId)?.title ?? taskId;
    for (const signal of runSignals(event, { taskId, taskTitle, attemptId })) ports.signal(signal);
    hooks.onEvent(this.attempt, event);
  }

  /** The end must be recorded, so a full disk is waited out; other storage failures end the process elsewhere. */
  private async record(result: RunResult | null, end: RunEnd): Promise<void> {
    const { workspace, ports, hooks } = this.around;
    const { clock, newId, random } = ports;
    const { id: attemptId, agentId } = this.attempt;
    this.ended = true;
    hooks.onEnd(this.attempt, result);
    for (;;) {
      try {
        const finish = { attemptId, result, end, stopping: this.stopping, newId, random };
        await workspace.commit((state) => finishFacts(state, { ...finish, now: clock.now() }), {
          by: agentId,
        });
        return;
      } catch (error) {
        if (!(error instanceof MultiverseError) || error.code !== "STORAGE_FULL") throw error;
        ports.log("error", "the end of an attempt waits for room on the disk", {
          attempt_id: attemptId,
        });
        await clock.sleep(STORAGE_RETRY_MS, this.detached.signal);
      }
    }
  }

  private report(error: unknown): void {
    if (this.detached.signal.aborted) return;
    this.around.ports.log("error", "an attempt's end could not be recorded", {
      attempt_id: this.attempt.id,
      error: String(error),
    });
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
