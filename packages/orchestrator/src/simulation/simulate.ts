import type { NewId, Random } from "@multiverse/protocol/clock";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { isSatisfied } from "@multiverse/protocol/readiness";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { createOrchestrator } from "../create-orchestrator.ts";
import { defaultPools } from "../execute/slots.ts";
import type { Orchestrator } from "../orchestrator.ts";
import { openWorkspace } from "../store/open-workspace.ts";
import { below, seeded } from "../store/simulation/random.ts";
import { SimulatedDisk } from "../store/simulation/simulated-disk.ts";
import type { Workspace } from "../store/workspace.ts";
import { emptyPatch } from "../testing/fixture.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { VirtualRuns } from "./virtual-runs.ts";

const STEPS = 3_000;
const QUIET_TURNS = 4;

interface Process {
  readonly workspace: Workspace;
  readonly orchestrator: Orchestrator;
}

export interface Life {
  readonly problems: readonly string[];
  readonly crashes: number;
  readonly kills: number;
  readonly pauses: number;
  readonly tasks: number;
}

/**
 * One life of a workspace from a seed: a random plan runs to its end in virtual time on a simulated disk, while the server
 * is killed, runners are killed, runs fail or are rate-limited, and a person pauses, stops, cancels and answers. The real
 * store, scheduler, attempts and recovery run; only disk, clock and runs are simulated.
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
  private readonly counts = { crashes: 0, kills: 0, pauses: 0 };
  private ids = 0;
  /** The end of a pause must be acknowledged before anything may start again. */
  private mayStart = true;

  constructor(seed: number) {
    this.random = seeded(seed);
    this.slots = 1 + below(this.random, 4);
    this.runs = new VirtualRuns(this.clock, this.random, ({ taskId }) => this.checkStart(taskId));
  }

  async run(): Promise<Life> {
    await this.boot();
    const operations = randomPlan(this.random);
    await this.process.orchestrator.changePlan(operations);
    await this.process.orchestrator.setExecution("start");
    for (let step = 0; ; step += 1) {
      await this.quiet();
      this.checkState();
      if (this.isDone()) break;
      if (step > STEPS) {
        this.problems.push("the plan does not end");
        break;
      }
      if (this.random() < 0.25) await this.disturb();
      else await this.passTime();
    }
    await this.checkEnd();
    return {
      problems: [...this.problems, ...this.runs.problems],
      tasks: operations.length,
      ...this.counts,
    };
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
    const orchestrator = createOrchestrator({
      workspace,
      ports: {
        planPatch: async () => emptyPatch,
        runs: this.runs,
        clock: this.clock,
        newId,
        random: this.random,
        signal: () => {},
        log: () => {},
      },
      capacity: () => ({ total: this.slots, pools: defaultPools, defaultAgent: "agent:mock" }),
      settings: () => ({
        llm: { kind: "mock", model: "" },
        tooling: null,
        workerKind: "mock",
        noteLanguage: "en",
        parallel: "always",
      }),
      defaultAnswerMs: null,
    });
    this.process = { workspace, orchestrator };
  }

  /** kill -9 (or a power cut) of the server; runs go on without it. */
  private async crash(): Promise<void> {
    this.counts.crashes += 1;
    this.disk = this.disk.reboot(this.random, this.random() < 0.5 ? "kill" : "power");
    this.clock.forgetSleepers();
    this.runs.forgetFollowers();
    await this.boot();
  }

  private async disturb(): Promise<void> {
    const chance = below(this.random, 10);
    const { orchestrator } = this.process;
    if (chance < 3) return this.crash();
    if (chance < 5) {
      const { live } = this.runs;
      const chosen = live[below(this.random, Math.max(1, live.length))];
      if (!chosen) return;
      this.counts.kills += 1;
      return this.runs.kill(chosen);
    }
    if (chance < 7) {
      if (this.state.execution.status === "IDLE") return;
      this.counts.pauses += 1;
      await orchestrator.setExecution("pause");
      this.mayStart = false;
      return;
    }
    if (chance === 7) {
      const stopping = orchestrator.setExecution("stop");
      await this.quiet();
      return stopping;
    }
    const waiting = [...this.state.tasks.values()].filter(
      (task) => task.progress === "waiting" || task.progress === "running",
    );
    const chosen = waiting[below(this.random, Math.max(1, waiting.length))];
    if (chosen) await orchestrator.cancelTask(chosen.id).catch(() => {});
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
  }

  private async tidyUp(): Promise<void> {
    for (const item of this.state.backlog.values()) {
      if (item.resolvedAt === null)
        await this.process.orchestrator.resolveBacklog(item.id, "again", "retry");
    }
    for (const task of this.state.tasks.values())
      if (task.progress === "canceled") await this.process.orchestrator.runTask(task.id);
  }

  /** Until nothing more happens without time passing. */
  private async quiet(): Promise<void> {
    const activity = () => this.disk.operations + this.runs.activity;
    for (let same = 0, seen = activity(); same < QUIET_TURNS;) {
      await new Promise((resolve) => setImmediate(resolve));
      same = activity() === seen ? same + 1 : 0;
      seen = activity();
    }
  }

  private checkStart(taskId: string): void {
    const node = this.state.nodes.get(taskId);
    const unmet = node?.dependencies.filter((id) => !isSatisfied(this.state, id)) ?? [
      "no such node",
    ];
    if (unmet.length > 0) this.problems.push(`${taskId} started before ${unmet.join(", ")}`);
    if (!this.mayStart && !this.state.tasks.get(taskId)?.requested)
      this.problems.push(`${taskId} started after a pause was acknowledged`);
  }

  private checkState(): void {
    if (this.runs.live.length > this.slots)
      this.problems.push(`${this.runs.live.length} runs on ${this.slots} slots`);
    for (const run of this.runs.live) {
      const { taskId, attemptId } = run.request;
      if (this.state.tasks.get(taskId)?.currentAttempt !== attemptId)
        this.problems.push(`a run of ${taskId} belongs to nobody`);
    }
  }

  private isDone(): boolean {
    return (
      [...this.state.tasks.values()].every((task) => task.progress === "succeeded") &&
      this.runs.live.length === 0
    );
  }

  private async checkEnd(): Promise<void> {
    const successes = new Map<string, number>();
    for (const attempt of this.state.attempts.values()) {
      if (attempt.status === "SUCCEEDED")
        successes.set(attempt.taskId, (successes.get(attempt.taskId) ?? 0) + 1);
      if (attempt.status === "RUNNING") this.problems.push(`attempt ${attempt.id} never ended`);
    }
    for (const id of this.state.tasks.keys())
      if (successes.get(id) !== 1)
        this.problems.push(`${id} succeeded ${successes.get(id) ?? 0} times`);
    const before = canonicalJson(saveState(this.state));
    this.disk = this.disk.reboot(this.random, "kill");
    this.clock.forgetSleepers();
    await this.boot();
    if (canonicalJson(saveState(this.state)) !== before)
      this.problems.push("the state after the end is not what history says");
  }
}

/** Up to 14 tasks, each depending on some earlier ones. */
function randomPlan(random: Random): PlanOperation[] {
  const count = 1 + below(random, 14);
  return Array.from({ length: count }, (_, i): PlanOperation => {
    const earlier = Array.from({ length: i }, (__, k) => `t${k}`);
    return {
      op: "create",
      tempId: `t${i}`,
      title: `t${i}`,
      dependencies: earlier.filter(() => random() < 2 / (i + 1)),
    };
  });
}
