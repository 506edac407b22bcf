import type { NewId, Random } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact } from "@multiverse/protocol/fact";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { isSatisfied } from "@multiverse/protocol/readiness";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { createOrchestrator } from "../create-orchestrator.ts";
import { defaultPools } from "../execute/capacity.ts";
import type { Orchestrator } from "../orchestrator.ts";
import { isUndo } from "../plan/undo.ts";
import { openWorkspace } from "../store/open-workspace.ts";
import { below, seeded } from "../store/simulation/random.ts";
import { SimulatedDisk } from "../store/simulation/simulated-disk.ts";
import type { Workspace } from "../store/workspace.ts";
import { emptyPatch } from "../testing/fixture.ts";
import { pick, randomChange, randomPlan } from "./random-plan.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { VirtualRuns } from "./virtual-runs.ts";

const STEPS = 3_000;
const QUIET_TURNS = 4;
/** People lose interest in disturbing after a while, so that every plan can end. */
const DISTURBANCES = 40;
const HOUR = 3_600_000;
const JUMPS = [-HOUR, HOUR, 30 * 24 * HOUR, -30 * 24 * HOUR, 100] as const;

interface Process {
  readonly workspace: Workspace;
  readonly orchestrator: Orchestrator;
}

/** What was done to a life. */
export interface Faults {
  crashes: number;
  kills: number;
  pauses: number;
  stops: number;
  cancels: number;
  jumps: number;
  changes: number;
  undos: number;
  restores: number;
  /** Results that came too late to count. */
  ignored: number;
}

export interface Life {
  readonly problems: readonly string[];
  /** Everything that was ever recorded and survived, as it stands on the disk at the end: the same for the same seed. */
  readonly history: string;
  readonly faults: Readonly<Faults>;
}

/**
 * One life of a workspace from a seed: a random plan runs to its end in virtual time on a simulated disk, while the server
 * is killed, runners are killed, runs fail or are rate-limited, the clock is set, and a person pauses, stops, cancels,
 * answers, changes the plan, undoes and restores. The real store, scheduler, attempts and recovery run; only disk, clock
 * and runs are simulated.
 */
export async function simulate(seed: number): Promise<Life> {
  return new Simulation(seed).run();
}

class Simulation {
  private readonly random: Random;
  private readonly clock = new VirtualClock();
  private readonly runs: VirtualRuns;
  private readonly slots: number;
  private disk = new SimulatedDisk();
  private process!: Process;
  private readonly problems: string[] = [];
  private readonly faults: Faults = {
    crashes: 0,
    kills: 0,
    pauses: 0,
    stops: 0,
    cancels: 0,
    jumps: 0,
    changes: 0,
    undos: 0,
    restores: 0,
    ignored: 0,
  };
  private ids = 0;
  private disturbances = 0;
  /** The end of a pause must be acknowledged before anything may start again. */
  private mayStart = true;

  constructor(seed: number) {
    this.random = seeded(seed);
    this.slots = 1 + below(this.random, 4);
    this.runs = new VirtualRuns(this.clock, this.random, ({ taskId }) => this.checkStart(taskId));
  }

  async run(): Promise<Life> {
    await this.boot();
    await this.process.orchestrator.changePlan(randomPlan(this.random));
    await this.process.workspace.createSnapshot();
    await this.process.orchestrator.setExecution("start");
    for (let step = 0; ; step += 1) {
      await this.quiet();
      this.checkState();
      if (this.isDone()) break;
      if (step > STEPS) {
        this.problems.push("the plan does not end");
        break;
      }
      if (this.random() < 0.25 && (this.disturbances += 1) <= DISTURBANCES) await this.disturb();
      else await this.passTime();
    }
    await this.checkEnd();
    const problems = [...this.problems, ...this.runs.problems];
    return { problems, history: this.history(), faults: this.faults };
  }

  private history(): string {
    const files = [...this.disk.contents()].filter(([path]) => path.includes("/history/"));
    return files
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, bytes]) => `${path}\n${bytes.toString("utf8")}`)
      .join("");
  }

  private get state(): WorkspaceState {
    return this.process.workspace.state;
  }

  private async boot(): Promise<void> {
    const newId: NewId = (prefix) => `${prefix}-${(this.ids += 1)}`;
    const workspace = await openWorkspace({
      home: "/home",
      projectRoot: "/project",
      clock: this.clock,
      newId,
      fs: this.disk.fs,
      acquireLock: async () => ({ announce: async () => {}, release: async () => {} }),
    });
    let seen = workspace.state;
    workspace.subscribe((facts, state) => {
      for (const fact of facts) this.checkFact(fact, seen);
      seen = state;
    });
    const orchestrator = createOrchestrator({
      workspace,
      ports: {
        planPatch: async () => emptyPatch,
        uncommitted: async () => null,
        runs: this.runs,
        clock: this.clock,
        newId,
        random: this.random,
        signal: () => {},
        log: () => {},
      },
      capacity: () => ({
        total: this.slots,
        limitedBy: "setting",
        pools: defaultPools,
        defaultAgent: "agent:mock",
      }),
      settings: () => ({
        llm: { kind: "mock", model: "" },
        tooling: null,
        workerKind: "mock",
        noteLanguage: "en",
        parallel: "always",
      }),
      defaultAnswerMs: () => null,
    });
    this.process = { workspace, orchestrator };
  }

  /** kill -9 (or a power cut) of the server; runs go on without it. */
  private async crash(): Promise<void> {
    this.faults.crashes += 1;
    this.disk = this.disk.reboot(this.random, this.random() < 0.5 ? "kill" : "power");
    this.clock.forgetSleepers();
    this.runs.forgetFollowers();
    await this.boot();
  }

  private async disturb(): Promise<void> {
    const deeds = [
      () => this.crash(),
      () => this.crash(),
      () => this.killRun(),
      () => this.killRun(),
      () => this.pause(),
      () => this.stop(),
      () => this.cancel(),
      () => this.setClock(),
      () => this.changePlan(),
      () => this.changePlan(),
      () => this.undo(),
      () => this.regret(),
      () => this.restore(),
      () => this.restore(),
    ];
    await pick<() => void | Promise<void>>(this.random, deeds)?.();
  }

  /**
   * A wish of a person. It may take longer than this moment (a stop waits for its runs), so nobody waits for it; what is
   * refused must be refused with a reason.
   */
  private wish(what: Promise<unknown>): void {
    const { process } = this;
    what.catch((error: unknown) => {
      if (process !== this.process || error instanceof MultiverseError) return;
      this.problems.push(`a wish failed: ${String(error)}`);
    });
  }

  private killRun(): void {
    const run = pick(this.random, this.runs.live);
    if (!run) return;
    this.faults.kills += 1;
    this.runs.kill(run);
  }

  private async pause(): Promise<void> {
    if (this.state.execution.status === "IDLE") return;
    this.faults.pauses += 1;
    await this.process.orchestrator.setExecution("pause");
    this.mayStart = false;
  }

  private stop(): void {
    this.faults.stops += 1;
    this.wish(this.process.orchestrator.setExecution("stop"));
  }

  private cancel(): void {
    const open = [...this.state.tasks.values()].filter(
      (task) => task.progress === "waiting" || task.progress === "running",
    );
    const chosen = pick(this.random, open);
    if (!chosen) return;
    this.faults.cancels += 1;
    this.wish(this.process.orchestrator.cancelTask(chosen.id));
  }

  private setClock(): void {
    this.faults.jumps += 1;
    this.clock.jump(pick(this.random, JUMPS) ?? 0);
  }

  private changePlan(): void {
    this.faults.changes += 1;
    this.wish(this.process.orchestrator.changePlan([randomChange(this.random, this.state)]));
  }

  /** Not of the plan itself, which would leave nothing to do. */
  private undo(): void {
    if (this.faults.changes === 0) return;
    this.faults.undos += 1;
    this.wish(this.process.orchestrator.undoLastChange());
  }

  /** Deletes a running task and wants it back while its run is still on its way out. */
  private async regret(): Promise<void> {
    const taskId = pick(this.random, [...this.state.index.running]);
    if (taskId === undefined) return;
    this.faults.changes += 1;
    const { orchestrator } = this.process;
    await orchestrator.changePlan([{ op: "delete", taskId, cascade: false }]);
    await this.quiet();
    this.undo();
  }

  private async restore(): Promise<void> {
    const { workspace, orchestrator } = this.process;
    const known = await workspace.listSnapshots();
    const chosen = pick(this.random, known);
    if (!chosen || this.random() < 0.25) {
      this.wish(workspace.createSnapshot());
      return;
    }
    this.wish(orchestrator.restoreSnapshot(chosen.id, true));
  }

  /** Time goes on, and a person does what is needed so that the plan can end. */
  private async passTime(): Promise<void> {
    const times = [this.clock.next, this.runs.next].filter((time) => time !== null);
    const idle = times.length === 0 || this.random() < 0.2;
    if (idle && this.state.execution.status !== "RUNNING") {
      this.mayStart = true;
      await this.process.orchestrator.setExecution("resume");
    } else if (idle) await this.tidyUp();
    if (times.length > 0) this.clock.advanceTo(Math.min(...times));
    this.runs.endDue();
    if (this.random() < 0.1) await this.interrupt();
  }

  /** A disturbance in the middle of what a moment brings about, not after it. */
  private async interrupt(): Promise<void> {
    for (let turns = below(this.random, 6); turns > 0; turns -= 1) await turnOfTheLoop();
    this.changePlan();
    if (this.random() < 0.5) return;
    for (let turns = below(this.random, 6); turns > 0; turns -= 1) await turnOfTheLoop();
    await this.crash();
  }

  private async tidyUp(): Promise<void> {
    const { orchestrator } = this.process;
    for (const item of this.state.backlog.values())
      if (item.resolvedAt === null) await orchestrator.resolveBacklog(item.id, "again", "retry");
    for (const task of this.state.tasks.values())
      if (task.progress === "canceled") await orchestrator.runTask(task.id);
  }

  /** Until nothing more happens without time passing. */
  private async quiet(): Promise<void> {
    const activity = () => this.disk.operations + this.runs.activity;
    for (let same = 0, seen = activity(); same < QUIET_TURNS;) {
      await turnOfTheLoop();
      same = activity() === seen ? same + 1 : 0;
      seen = activity();
    }
  }

  private checkStart(taskId: string): void {
    if (!this.mayStart && !this.state.tasks.get(taskId)?.requested)
      this.problems.push(`${taskId} started after a pause was acknowledged`);
  }

  private checkFact(fact: Fact, before: WorkspaceState): void {
    if (fact.kind === "task.result_ignored") this.faults.ignored += 1;
    if (fact.kind === "snapshot.restored") this.faults.restores += 1;
    if (fact.kind === "task.started") this.checkDependencies(fact.payload.taskId, before);
    if (fact.kind !== "task.succeeded" || isUndo(fact)) return;
    const { taskId, attemptId } = fact.payload;
    if (before.tasks.get(taskId)?.currentAttempt !== attemptId)
      this.problems.push(`${taskId} took a result of ${attemptId}, which it did not wait for`);
  }

  /** On the state the start was decided on: a plan change right behind it may ask for more. */
  private checkDependencies(taskId: string, before: WorkspaceState): void {
    const node = before.nodes.get(taskId);
    const unmet = node?.dependencies.filter((id) => !isSatisfied(before, id)) ?? ["no such node"];
    if (unmet.length > 0) this.problems.push(`${taskId} started before ${unmet.join(", ")}`);
  }

  private checkState(): void {
    const awaited = this.runs.live.filter(
      ({ request }) => this.state.tasks.get(request.taskId)?.currentAttempt === request.attemptId,
    );
    if (awaited.length > this.slots)
      this.problems.push(`${awaited.length} runs on ${this.slots} slots`);
    for (const run of this.runs.live)
      if (!awaited.includes(run) && !run.stopping)
        this.problems.push(`a run of ${run.request.taskId} belongs to nobody`);
  }

  private isDone(): boolean {
    return (
      [...this.state.tasks.values()].every((task) => task.progress === "succeeded") &&
      this.runs.live.length === 0
    );
  }

  /** A restore takes successes back, so they are counted between restores. */
  private async checkEnd(): Promise<void> {
    const successes = new Map<string, number>();
    for (const { id, taskId, epoch, status } of this.state.attempts.values()) {
      const key = `${taskId} in epoch ${epoch}`;
      if (status === "SUCCEEDED") successes.set(key, (successes.get(key) ?? 0) + 1);
      if (status === "RUNNING") this.problems.push(`attempt ${id} never ended`);
    }
    for (const [key, count] of successes)
      if (count > 1) this.problems.push(`${key} succeeded ${count} times`);
    const before = canonicalJson(saveState(this.state));
    this.disk = this.disk.reboot(this.random, "kill");
    this.clock.forgetSleepers();
    await this.boot();
    if (canonicalJson(saveState(this.state)) !== before)
      this.problems.push("the state after the end is not what history says");
  }
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
