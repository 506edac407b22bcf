import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@multiverse/protocol/clock";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { PlanRequest } from "@multiverse/protocol/plan-request";
import type { Signal } from "@multiverse/protocol/signal";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { createOrchestrator } from "../create-orchestrator.ts";
import { defaultPools } from "../execute/capacity.ts";
import type { Orchestrator } from "../orchestrator.ts";
import { openWorkspace } from "../store/open-workspace.ts";
import type { Workspace } from "../store/workspace.ts";
import { fakeRuns, runResult, type FakeRuns } from "./fake-runs.ts";

/** A clock that runs faster than the real one, so that waits of seconds take milliseconds. */
export function fastClock(speed = 500): Clock {
  const start = Date.now();
  const monotonic = () => performance.now() * speed;
  const origin = monotonic();
  return {
    now: () => new Date(start + monotonic() - origin),
    monotonic,
    sleep: (ms, signal) => delay(ms / speed, undefined, signal ? { signal } : {}),
  };
}

let counter = 0;
const testId = (prefix: string): string => `${prefix}-${(counter++).toString(36).padStart(6, "0")}`;

export const emptyPatch: PlanPatch = {
  understanding: "",
  operations: [],
  potentialConflicts: [],
  questions: [],
};

export interface Fixture {
  readonly workspace: Workspace;
  readonly orchestrator: Orchestrator;
  readonly runs: FakeRuns;
  readonly signals: Signal[];
  readonly requests: PlanRequest[];
  readonly home: string;
  readonly project: string;
  until(what: string, condition: (state: WorkspaceState) => boolean): Promise<WorkspaceState>;
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly plan?: (request: PlanRequest, signal: AbortSignal) => PlanPatch | Promise<PlanPatch>;
  readonly runs?: FakeRuns;
  readonly slots?: number;
  readonly parallel?: "safe" | "always";
  readonly clock?: Clock;
  readonly uncommitted?: readonly string[];
  readonly defaultAnswerMs?: () => number | null;
  readonly at?: { home: string; project: string };
}

/** A real store in a temporary folder with a scripted planner and scripted runs. */
export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const home = options.at?.home ?? (await mkdtemp(join(tmpdir(), "mv-orch-")));
  const project = options.at?.project ?? join(home, "project");
  await mkdir(project, { recursive: true });
  const clock = options.clock ?? fastClock();
  const workspace = await openWorkspace({ home, projectRoot: project, clock, newId: testId });
  const runs = options.runs ?? fakeRuns((request) => ({ result: runResult(request.taskId) }));
  const signals: Signal[] = [];
  const requests: PlanRequest[] = [];
  const orchestrator = createOrchestrator({
    workspace,
    ports: {
      planPatch: async (request, signal) => {
        requests.push(request);
        return (await options.plan?.(request, signal)) ?? emptyPatch;
      },
      runs,
      uncommitted: async () => options.uncommitted ?? null,
      clock,
      newId: testId,
      random: () => 0.5,
      signal: (signal) => signals.push(signal),
      log: () => {},
    },
    capacity: () => ({
      total: options.slots ?? 4,
      limitedBy: "setting",
      pools: defaultPools,
      defaultAgent: "agent:mock",
    }),
    settings: () => ({
      llm: { kind: "mock", model: "" },
      tooling: null,
      workerKind: "mock",
      noteLanguage: "en",
      parallel: options.parallel ?? "always",
    }),
    defaultAnswerMs: options.defaultAnswerMs ?? (() => null),
  });
  return {
    workspace,
    orchestrator,
    runs,
    signals,
    requests,
    home,
    project,
    until: (what, condition) => until(workspace, what, condition),
    async close() {
      await orchestrator.close({ detach: false });
      await workspace.close();
      if (!options.at) await rm(home, { recursive: true, force: true });
    },
  };
}

function until(
  workspace: Workspace,
  what: string,
  condition: (state: WorkspaceState) => boolean,
): Promise<WorkspaceState> {
  return new Promise((resolve, reject) => {
    const check = (state: WorkspaceState) => {
      if (!condition(state)) return;
      clearTimeout(deadline);
      unsubscribe();
      resolve(state);
    };
    const deadline = setTimeout(() => {
      unsubscribe();
      reject(new Error(`waited in vain for: ${what}`));
    }, 10_000);
    const unsubscribe = workspace.subscribe((_, state) => check(state));
    check(workspace.state);
  });
}
