import type { Attempt } from "@multiverse/protocol/attempt";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { find } from "@multiverse/protocol/find";
import type { RunEvent } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { RunningProcess } from "../orchestrator.ts";
import type { Ports } from "../ports.ts";
import { inSteps } from "../store/give-way.ts";
import type { Workspace } from "../store/workspace.ts";
import { Attempts } from "./attempts.ts";
import { Candidates } from "./candidates.ts";
import type { Capacity } from "./capacity.ts";
import { dirtyTreeFacts, isUntouched } from "./dirty-tree.ts";
import { factSignals } from "./fact-signals.ts";
import { Herald } from "./herald.ts";
import { openGate, type RateGate } from "./rate-gate.ts";
import { recover } from "./recover.ts";
import { UNSAID_LIMIT_MS } from "./retry.ts";
import { schedule, type Start } from "./schedule.ts";
import { startFacts } from "./start-facts.ts";
import { taskYaml, type TaskSpecSettings } from "./task-spec.ts";

/** How long the loop waits before it looks again after the disk was full. */
const STORAGE_RETRY_MS = 2_000;
/** Whatever is due later is looked at then; timers of the platform cannot wait for weeks. */
const LONGEST_SLEEP_MS = 3_600_000;

export interface LoopSettings extends TaskSpecSettings {
  readonly parallel: "safe" | "always";
}

export interface LoopOptions {
  readonly workspace: Workspace;
  readonly ports: Ports;
  /** Asked every turn, since free memory changes. */
  readonly capacity: () => Capacity;
  readonly settings: () => LoopSettings;
}

/**
 * Starts what can run. There is one turn at a time, and it is taken when a fact was published, when a retry or the rate
 * gate is due, or when room on the disk is looked for again; nothing polls.
 *
 *   idle ──fact, timer──▶ turn: choose on the newest state, record the starts in one commit, spawn ──▶ idle
 *
 * Choosing happens inside the commit, so nothing starts after a pause was acknowledged.
 */
export class Loop {
  private readonly options: LoopOptions;
  private readonly candidates: Candidates;
  private readonly gate: RateGate;
  private readonly attempts: Attempts;
  private readonly herald: Herald;
  private readonly unsubscribe: () => void;
  /** Runs of an earlier process that are being stopped. */
  private readonly ending = new Set<Attempt>();
  private lookedAtTree = false;
  private closed = false;
  private turning: Promise<void> | null = null;
  private again = false;
  private seen: WorkspaceState;
  private timer: AbortController | null = null;

  constructor(options: LoopOptions) {
    const { workspace, ports } = options;
    this.options = options;
    this.seen = workspace.state;
    this.candidates = new Candidates(workspace.state);
    this.gate = openGate(workspace.state, this.now, ports.clock.monotonic());
    const hooks = {
      onEvent: (attempt: Attempt, event: RunEvent) => this.onEvent(attempt, event),
      onEnd: (attempt: Attempt, result: RunResult | null) => this.onEnd(attempt, result),
    };
    this.attempts = new Attempts({ workspace, ports, hooks });
    this.herald = new Herald((signal) => ports.signal(signal));
    this.unsubscribe = workspace.subscribe((facts, state) => this.onFacts(facts, state));
    this.recover();
    this.wake();
  }

  get running(): readonly RunningProcess[] {
    return this.attempts.running;
  }

  /** What decides, beside the state, whether a task starts now. */
  get conditions(): Conditions {
    const { capacity, settings } = this.options;
    const { total, limitedBy, pools, defaultAgent } = capacity();
    const opensIn = this.gate.opensIn(this.monotonic);
    const until = opensIn === null ? null : new Date(this.now + opensIn).toISOString();
    return {
      total,
      limitedBy,
      pools: [...pools],
      defaultAgent,
      parallel: settings().parallel,
      gate: { status: this.gate.status(this.monotonic), until },
      live: [...this.attempts.taskIds, ...[...this.ending].map(({ taskId }) => taskId)],
    };
  }

  stopAttempt(attemptId: string): Promise<void> {
    return this.attempts.stop(attemptId, "task");
  }

  async stopAll(): Promise<void> {
    await this.turning; // what was recorded as started is there to be stopped
    await this.attempts.stopAll();
  }

  /** No new work; attempts are stopped, or left to be adopted. */
  async close({ detach }: { detach: boolean }): Promise<void> {
    this.closed = true;
    this.timer?.abort();
    await this.turning; // what was recorded as started is started, and then stopped or left like the rest
    if (detach) await this.attempts.detach();
    else await this.attempts.stopAll();
    this.unsubscribe();
  }

  private get now(): number {
    return this.options.ports.clock.now().getTime();
  }

  private get monotonic(): number {
    return this.options.ports.clock.monotonic();
  }

  private recover(): void {
    const { workspace, ports } = this.options;
    const { adopt, stop } = recover(workspace.state);
    for (const attempt of adopt) this.attempts.adopt(attempt);
    for (const attempt of stop) {
      if (attempt.status === "RUNNING") this.attempts.adopt(attempt); // its end is recorded as one that nobody awaits
      this.ending.add(attempt);
      const stopped = ports.runs.stop(attempt.id).catch((error: unknown) => {
        const fields = { attempt_id: attempt.id, error: String(error) };
        ports.log("warn", "a run that is no longer wanted could not be stopped", fields);
      });
      void stopped.then(() => {
        this.ending.delete(attempt);
        this.wake();
      });
    }
  }

  private onEvent(attempt: Attempt, event: RunEvent): void {
    const answered =
      (event.type === "worker" || event.type === "meta") && event.phase === "completed";
    if (!answered || this.gate.status(this.monotonic) === "open") return;
    this.gate.proven(attempt.id);
    this.wake();
  }

  private onEnd(attempt: Attempt, result: RunResult | null): void {
    if (result?.reason !== "rate_limited") return this.gate.proven(attempt.id);
    const wait = result.retryAt ? Date.parse(result.retryAt) - this.now : UNSAID_LIMIT_MS;
    this.gate.limited(wait, this.monotonic);
  }

  private onFacts(facts: readonly Fact[], state: WorkspaceState): void {
    this.herald.announce(factSignals(this.seen, state, facts, this.now));
    this.seen = state;
    this.candidates.update(facts, state);
    for (const fact of facts) {
      // Finished by somebody else (its task was deleted): the process is no longer wanted.
      if (fact.kind === "attempt.finished" && fact.payload.status === "CANCELED")
        void this.attempts.stop(fact.payload.attemptId, "task");
      if (fact.kind === "snapshot.restored") void this.attempts.stopAll();
    }
    this.wake();
  }

  /** Looks whether something can start: a fact, the time or the settings may have changed that. */
  wake(): void {
    if (this.closed) return;
    this.again = true;
    this.turning ??= this.turns();
  }

  private async turns(): Promise<void> {
    // Facts of one burst are published one after the other: let them all arrive before choosing.
    await Promise.resolve();
    while (this.again && !this.closed) {
      this.again = false;
      await this.turn();
    }
    this.turning = null;
  }

  private async turn(): Promise<void> {
    const began = { wall: this.now, monotonic: this.monotonic };
    try {
      await inSteps(this.candidates.rank());
      if (this.choose(this.options.workspace.state).length > 0) {
        await this.warnOfDirtyTree();
        await this.startChosen();
      }
      this.wakeIn(this.nextDue(began));
    } catch (error) {
      const full = error instanceof MultiverseError && error.code === "STORAGE_FULL";
      this.options.ports.log("error", "nothing new can be started", { error: String(error) });
      if (full) this.wakeIn(STORAGE_RETRY_MS);
    }
  }

  private choose(state: WorkspaceState): Start[] {
    if (!this.candidates.mayStart) return [];
    const { conditions } = this;
    return schedule(state, { now: this.now, conditions, candidates: this.candidates.inOrder() });
  }

  /** Before the very first task. That the warning cannot be given is no reason not to work. */
  private async warnOfDirtyTree(): Promise<void> {
    const { workspace, ports } = this.options;
    if (this.lookedAtTree || !isUntouched(workspace.state)) return;
    this.lookedAtTree = true;
    try {
      const files = (await ports.uncommitted()) ?? [];
      const at = ports.clock.now().toISOString();
      const decide = (state: WorkspaceState): NewFact[] =>
        dirtyTreeFacts(state, files, at, ports.newId);
      const { facts } = await workspace.commit(decide, { by: "scheduler" });
      if (facts.length > 0)
        ports.log("warn", "the project has changes that are not committed", {
          files: files.slice(0, 20),
        });
    } catch (error) {
      ports.log("warn", "the project's git tree could not be looked at", { error: String(error) });
    }
  }

  private async startChosen(): Promise<void> {
    const { workspace, ports, settings } = this.options;
    const at = ports.clock.now().toISOString();
    const toolOf = ({ task }: Start) => task.runnerWorkerKind ?? settings().workerKind;
    const { facts, state } = await workspace.commit(
      (newest) =>
        startFacts(newest, this.closed ? [] : this.choose(newest), at, toolOf, ports.newId),
      { by: "scheduler" },
    );
    for (const fact of facts)
      if (fact.kind === "attempt.started") this.launch(fact.payload.attempt.id, state);
  }

  private launch(attemptId: string, state: WorkspaceState): void {
    const attempt = find(state.attempts, attemptId);
    const task = find(state.tasks, attempt.taskId);
    // Deleted in the commit right behind: the attempt is over before its process exists.
    if (this.options.workspace.state.tasks.get(task.id)?.currentAttempt !== attemptId) return;
    this.gate.started(attemptId, this.monotonic);
    const yaml = taskYaml(task, find(state.nodes, task.nodeId), this.options.settings());
    this.attempts.start(attempt, yaml);
  }

  /** How long until anything is due, seen from before the choice: what fell due while choosing is looked at again. */
  private nextDue(since: { wall: number; monotonic: number }): number | null {
    const retryAt = this.candidates.nextRetryAt(since.wall);
    const waits = [
      retryAt === null ? null : retryAt - this.now,
      this.gate.opensIn(since.monotonic),
    ].filter((wait) => wait !== null);
    return waits.length > 0 ? Math.min(...waits) : null;
  }

  private wakeIn(ms: number | null): void {
    this.timer?.abort();
    this.timer = null;
    if (ms === null || this.closed) return;
    const mine = new AbortController();
    this.timer = mine;
    this.options.ports.clock
      .sleep(Math.max(1, Math.min(ms, LONGEST_SLEEP_MS)), mine.signal)
      .then(() => this.wake())
      .catch(() => {}); // aborted: another time was set
  }
}
