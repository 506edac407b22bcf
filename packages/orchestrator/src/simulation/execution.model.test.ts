import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import { createOrchestrator } from "../create-orchestrator.ts";
import { defaultPools } from "../execute/capacity.ts";
import type { Orchestrator } from "../orchestrator.ts";
import type { RunEnd, RunRequest, RunTask } from "../ports.ts";
import { openWorkspace } from "../store/open-workspace.ts";
import { SimulatedDisk } from "../store/simulation/simulated-disk.ts";
import type { Workspace } from "../store/workspace.ts";
import { failedResult, runResult } from "../testing/fake-runs.ts";
import { emptyPatch } from "../testing/fixture.ts";
import { VirtualClock } from "./virtual-clock.ts";

const SLOTS = 2;
const MAX_ATTEMPTS = 3;
/** A diamond, a tail and a loner, in the order in which the scheduler prefers them. */
const DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  top: [],
  left: ["top"],
  right: ["top"],
  join: ["left", "right"],
  tail: ["join"],
  loner: [],
};
const TITLES = Object.keys(DEPENDENCIES);

interface Run {
  readonly request: RunRequest;
  result: RunResult | null;
  over: boolean;
  heard: (() => void)[];
}

/** Runs that end when a command says so, and go on when the process that started them is killed. */
class ManualRuns implements RunTask {
  readonly all = new Map<string, Run>();
  activity = 0;

  get live(): Run[] {
    return [...this.all.values()].filter((run) => !run.over);
  }

  async start(request: RunRequest): Promise<void> {
    this.activity += 1;
    this.all.set(request.attemptId, { request, result: null, over: false, heard: [] });
  }

  async *follow(attemptId: string): AsyncGenerator<RunEvent, RunEnd> {
    const run = this.all.get(attemptId);
    if (!run) return { how: "lost", stderrTail: "" };
    if (!run.over) await new Promise<void>((resolve) => run.heard.push(resolve));
    this.activity += 1;
    const { traceId, taskId } = run.request;
    const stamp = { v: 1, at: new Date(0).toISOString(), traceId, taskId } as const;
    if (run.result) yield { ...stamp, type: "finished", result: run.result };
    return { how: "finished", stderrTail: "" };
  }

  async stop(attemptId: string): Promise<void> {
    const run = this.all.get(attemptId);
    if (run && !run.over) this.end(run, failedResult(run.request.taskId, "canceled"));
  }

  end(run: Run, result: RunResult): void {
    this.activity += 1;
    run.result = result;
    run.over = true;
    for (const tell of run.heard.splice(0)) tell();
  }
}

/** The real store, scheduler, attempts and recovery on a simulated disk. */
class Real {
  readonly runs = new ManualRuns();
  readonly clock = new VirtualClock();
  private disk = new SimulatedDisk();
  private ids = 0;
  workspace!: Workspace;
  orchestrator!: Orchestrator;

  async boot(): Promise<this> {
    const newId = (prefix: string): string => `${prefix}-${(this.ids += 1)}`;
    const { clock, runs } = this;
    this.workspace = await openWorkspace({
      home: "/home",
      projectRoot: "/project",
      clock,
      newId,
      fs: this.disk.fs,
      acquireLock: async () => ({ announce: async () => {}, release: async () => {} }),
    });
    const planPatch = async () => emptyPatch;
    const uncommitted = async () => null;
    const silent = { signal: () => {}, log: () => {} };
    const llm = { kind: "mock", model: "" } as const;
    this.orchestrator = createOrchestrator({
      workspace: this.workspace,
      ports: { planPatch, runs, uncommitted, clock, newId, random: () => 0.5, ...silent },
      capacity: () => ({
        total: SLOTS,
        limitedBy: "setting",
        pools: defaultPools,
        defaultAgent: "a",
      }),
      settings: () => ({
        llm,
        tooling: null,
        workerKind: "mock",
        noteLanguage: "en",
        parallel: "always",
      }),
      defaultAnswerMs: () => null,
    });
    return this;
  }

  async crash(): Promise<void> {
    this.disk = this.disk.reboot(() => 0.5, "kill");
    this.clock.forgetSleepers();
    for (const run of this.runs.all.values()) run.heard = [];
    await this.boot();
  }

  async quiet(): Promise<void> {
    const activity = () => this.disk.operations + this.runs.activity;
    for (let same = 0, seen = activity(); same < 4;) {
      await new Promise((resolve) => setImmediate(resolve));
      same = activity() === seen ? same + 1 : 0;
      seen = activity();
    }
  }

  titleOf(taskId: string): string {
    return this.workspace.state.nodes.get(taskId)?.title ?? taskId;
  }

  get view(): object {
    const { state } = this.workspace;
    const attempts = [...state.attempts.values()];
    return {
      execution: state.execution.status,
      live: this.runs.live.map(({ request }) => this.titleOf(request.taskId)).sort(),
      tasks: Object.fromEntries(
        [...state.tasks.values()].map((task) => [
          this.titleOf(task.id),
          {
            progress: task.progress,
            attempts: task.attemptCount,
            // Counted from the records of the attempts, not from the task.
            ended: attempts.filter(
              ({ taskId, status }) =>
                taskId === task.id && (status === "SUCCEEDED" || status === "FAILED"),
            ).length,
          },
        ]),
      ),
      failures: [...state.backlog.values()].filter((item) => item.type === "FAILURE").length,
    };
  }
}

/** What the spec says, in as few words as possible. */
class Model {
  execution: "IDLE" | "RUNNING" | "PAUSED" = "IDLE";
  readonly progress = new Map(TITLES.map((title) => [title, "waiting"]));
  readonly attempts = new Map(TITLES.map((title) => [title, 0]));
  readonly resting = new Set<string>();

  get running(): string[] {
    return TITLES.filter((title) => this.progress.get(title) === "running");
  }

  settle(): void {
    if (this.execution !== "RUNNING") return;
    for (const title of this.byClaim()) {
      const dependencies = DEPENDENCIES[title] ?? [];
      const ready =
        this.progress.get(title) === "waiting" &&
        !this.resting.has(title) &&
        dependencies.every((other) => this.progress.get(other) === "succeeded");
      if (ready && this.running.length < SLOTS) this.progress.set(title, "running");
    }
  }

  end(title: string, succeeded: boolean): void {
    const attempts = (this.attempts.get(title) ?? 0) + 1;
    this.attempts.set(title, attempts);
    const over = succeeded ? "succeeded" : attempts < MAX_ATTEMPTS ? "waiting" : "failed";
    this.progress.set(title, over);
    if (over === "waiting") this.resting.add(title);
  }

  stop(): void {
    this.execution = "IDLE";
    for (const title of this.running) this.progress.set(title, "waiting");
  }

  private byClaim(): string[] {
    const remaining = (title: string): number =>
      1 + Math.max(0, ...TITLES.filter((t) => DEPENDENCIES[t]?.includes(title)).map(remaining));
    return TITLES.toSorted((a, b) => remaining(b) - remaining(a));
  }

  get view(): object {
    return {
      execution: this.execution,
      live: this.running.toSorted(),
      tasks: Object.fromEntries(
        TITLES.map((title) => {
          const attempts = this.attempts.get(title);
          return [title, { progress: this.progress.get(title), attempts, ended: attempts }];
        }),
      ),
      failures: TITLES.filter((title) => this.progress.get(title) === "failed").length,
    };
  }
}

type Command = fc.AsyncCommand<Model, Real>;

async function compare(model: Model, real: Real): Promise<void> {
  await real.quiet();
  model.settle();
  expect(real.view).toEqual(model.view);
}

const command = (
  name: string,
  act: (model: Model, real: Real) => Promise<void> | void,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command => ({
  check,
  async run(model, real) {
    await act(model, real);
    await compare(model, real);
  },
  toString: () => name,
});

const start = (action: "start" | "resume") =>
  command(action, async (model, real) => {
    await real.orchestrator.setExecution(action);
    model.execution = "RUNNING";
  });
const pause = command(
  "pause",
  async (model, real) => {
    await real.orchestrator.setExecution("pause");
    model.execution = "PAUSED";
  },
  (model) => model.execution !== "IDLE",
);
const stop = command("stop", async (model, real) => {
  await real.orchestrator.setExecution("stop");
  model.stop();
});
const crash = command("crash", (_, real) => real.crash());
/** Long enough for every retry. */
const wait = command("wait", (model, real) => {
  real.clock.advanceTo(real.clock.time + 600_000);
  model.resting.clear();
});
const end = (succeeded: boolean) => (nth: number) =>
  command(
    `${succeeded ? "finish" : "fail"} #${nth}`,
    (model, real) => {
      const run = real.runs.live[nth % real.runs.live.length];
      if (!run) throw new Error("the model says that something runs");
      const { taskId } = run.request;
      real.runs.end(run, succeeded ? runResult(taskId) : failedResult(taskId));
      model.end(real.titleOf(taskId), succeeded);
    },
    (model) => model.running.length > 0,
  );

const COMMANDS = [
  fc.constant(start("start")),
  fc.constant(start("resume")),
  fc.constant(pause),
  fc.constant(stop),
  fc.constant(crash),
  fc.constant(wait),
  fc.constant(wait),
  fc.nat(1).map(end(true)),
  fc.nat(1).map(end(true)),
  fc.nat(1).map(end(true)),
  fc.nat(1).map(end(false)),
  fc.nat(1).map(end(false)),
];

test(
  "start, pause, resume, stop, finish, fail and crash do what the reference model says",
  { timeout: 300_000 },
  async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.commands(COMMANDS, { maxCommands: 60, size: "max" }),
        async (commands) => {
          const real = await new Real().boot();
          await real.orchestrator.changePlan(
            TITLES.map((title) => ({
              op: "create",
              tempId: title,
              title,
              dependencies: [...(DEPENDENCIES[title] ?? [])],
            })),
          );
          const model = new Model();
          await fc.asyncModelRun(() => ({ model, real }), commands);
          for (const progress of model.progress.values()) seen.add(progress);
        },
      ),
      { numRuns: process.env["CI"] === "true" ? 1_000 : 150 },
    );
    expect([...seen].sort()).toEqual(["failed", "running", "succeeded", "waiting"]);
  },
);
