import { silentLogger } from "@multiverse/agents/log";
import type { MetaAgent, MetaCallLog } from "@multiverse/agents/meta/meta-agent";
import type { WorkerRunResult } from "@multiverse/agents/worker";
import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { RunPorts } from "@multiverse/runner/run-ports";
import type { ResolvedTask } from "@multiverse/runner/task-file/resolve-task";
import type { Change } from "@multiverse/runner/tree/tree";

type Meta = Pick<MetaAgent, "planTask" | "nextAction" | "assess">;
export type PlanAnswer = Awaited<ReturnType<Meta["planTask"]>>["answer"];
export type NextAnswer = Awaited<ReturnType<Meta["nextAction"]>>["answer"];
export type Assessment = Awaited<ReturnType<Meta["assess"]>>["answer"];

/** What the outside world does in one run; each list is used up in order, its last item for ever. */
export interface Script {
  readonly plan?: PlanAnswer | Error;
  readonly next?: readonly (NextAnswer | Error)[];
  readonly assess?: readonly (Assessment | Error)[];
  readonly runs?: readonly (Partial<WorkerRunResult> | Error)[];
  readonly changes?: readonly (readonly string[])[];
  readonly open?: Error;
  readonly close?: Error;
  /** Exit code of a check by its command; `n` counts its runs from 1. */
  readonly check?: (command: string, n: number) => number | Error;
  /** Called at every step outside, by name; may abort. */
  readonly on?: (what: string) => void;
}

const usage = { inputTokens: 10, outputTokens: 5, usd: 0.01 };

export const criterion = (
  id: string,
  command?: string,
): PlanAnswer["acceptanceCriteria"][number] => ({
  id,
  description: `${id} holds`,
  critical: true,
  ...(command === undefined ? {} : { check: { kind: "command", command } }),
});

export const runWorker = (prompt = "work"): NextAnswer => ({
  decision: { action: "run_worker", reason: "" },
  workerCall: { mode: "exec", prompt, flags: [], env: {}, toolSpecific: {}, useStdin: true },
  usedPatterns: [],
});
export const decide = (action: string, reason = ""): NextAnswer => ({
  decision: { action, reason },
  usedPatterns: [],
});
export const assessed = (
  all: boolean | undefined,
  byCriterion: Assessment["byCriterion"] = [],
): Assessment => ({
  summary: all ? "all done" : "not done",
  byCriterion,
  ...(all === undefined ? {} : { allCriteriaSatisfied: all }),
});

export const aTask = (change: Partial<ResolvedTask> = {}): ResolvedTask => ({
  id: "TASK-1",
  title: "A title",
  repoPath: "/nowhere",
  description: "",
  dependencies: [],
  wbsLevel: 0,
  phaseName: "",
  milestone: "",
  suggestedImpl: null,
  prdText: "Write it.",
  test: null,
  maxLoops: 3,
  meta: { kind: "mock" },
  worker: {
    kind: "mock",
    maxRunTimeSec: 60,
    idleTimeoutSec: 0,
    env: {},
    gateway: false,
    flags: [],
    network: "default",
    allowHosts: [],
    memory: "4g",
    cpus: 2,
  },
  budget: {},
  noteLanguage: "en",
  tooling: null,
  ...change,
});

export interface FakeWorld {
  readonly ports: RunPorts;
  readonly events: RunEventBody[];
  /** Names of the calls in order. */
  readonly calls: string[];
  /** Whether a sandbox is open right now. */
  readonly isOpen: () => boolean;
}

interface Outside {
  readonly script: Script;
  /** One call from the run to the outside; throws if it was aborted, as the real ones do. */
  readonly call: (name: string, signal?: AbortSignal) => Promise<void>;
  /** The next item of a list; the last one for ever. */
  readonly take: <T>(name: string, list: readonly T[] | undefined) => T | undefined;
  readonly now: () => string;
}

/** The ports of a run, scripted. */
export function fakeWorld(script: Script): FakeWorld {
  const events: RunEventBody[] = [];
  const calls: string[] = [];
  const used = new Map<string, number>();
  let ms = 0;
  let isOpen = false;
  const outside: Outside = {
    script,
    async call(name, signal) {
      calls.push(name);
      script.on?.(name);
      ms += 1_000;
      await Promise.resolve();
      signal?.throwIfAborted();
    },
    take(name, list) {
      const n = used.get(name) ?? 0;
      used.set(name, n + 1);
      return list?.[Math.min(n, list.length - 1)];
    },
    now: () => new Date(START + ms).toISOString(),
  };
  const ports: RunPorts = {
    meta: fakeMeta(outside),
    worker: fakeWorker(outside, (open) => (isOpen = open)),
    tree: fakeTree(outside),
    clock: { now: () => new Date(START + ms), monotonic: () => ms, sleep: () => Promise.resolve() },
    patterns: { list: [], expand: (prompt) => ({ prompt, unknown: [] }) },
    emit: (event) => void events.push(event),
    log: silentLogger,
    workerLog: { begin: () => Promise.resolve(), end: () => null },
  };
  return { ports, events, calls, isOpen: () => isOpen };
}

const START = Date.UTC(2026, 0, 1);

function fakeMeta({ script, call, take, now }: Outside): RunPorts["meta"] {
  const reply = <T>(
    type: MetaCall,
    answer: T | Error | undefined,
  ): { answer: T; call: MetaCallLog } => {
    if (answer === undefined) throw new Error(`the script has no answer for ${type}`);
    if (answer instanceof Error) throw answer;
    const log = { type, timestamp: now(), request: {}, response: {}, provider: "fake", model: "" };
    return { answer, call: { ...log, durationMs: 1, usage } };
  };
  return {
    async planTask(_, signal) {
      await call("planTask", signal);
      return reply("plan_task", script.plan ?? { acceptanceCriteria: [criterion("AC-1")] });
    },
    async nextAction(_, signal) {
      await call("nextAction", signal);
      return reply("next_action", take("next", script.next ?? [runWorker()]));
    },
    async assess(_, signal) {
      await call("assess", signal);
      return reply("completion_assessment", take("assess", script.assess ?? [assessed(true)]));
    },
  };
}

function fakeWorker(
  { script, call, take, now }: Outside,
  setOpen: (open: boolean) => void,
): RunPorts["worker"] {
  const checks = new Map<string, number>();
  let runs = 0;
  return {
    async open(signal) {
      await call("open", signal);
      if (script.open) throw script.open;
      setOpen(true);
    },
    async run(_, signal) {
      await call("run", signal);
      runs += 1;
      const run = take("runs", script.runs) ?? {};
      if (run instanceof Error) throw run;
      const done = {
        exitCode: 0,
        succeeded: true,
        rawOutput: "out",
        outputLength: 3,
        summary: "did it",
      };
      const who = {
        id: `run-${runs}`,
        tool: "fake",
        model: "",
        startedAt: now(),
        finishedAt: now(),
      };
      return { ...who, ...done, failure: null, files: [], usage, sessionId: null, ...run };
    },
    async check({ command }, signal, onLine) {
      await call(`check ${command}`, signal);
      const n = (checks.get(command) ?? 0) + 1;
      checks.set(command, n);
      const exitCode = script.check?.(command, n) ?? 0;
      if (exitCode instanceof Error) throw exitCode;
      onLine({ stream: "stdout", line: `${command} says ${exitCode}` });
      return { end: "exited", exitCode, durationMs: 1 };
    },
    async close() {
      await call("close");
      setOpen(false);
      if (script.close) throw script.close;
    },
  };
}

const fakeTree = ({ script, call, take }: Outside): RunPorts["tree"] => ({
  async look(signal) {
    await call("look", signal);
    return { taken: null };
  },
  changes(_before, _after, signal) {
    signal.throwIfAborted();
    const paths = take("changes", script.changes) ?? ["a.txt"];
    return Promise.resolve(paths.map((path): Change => ({ path, kind: "modified" })));
  },
  diffStat: () => Promise.resolve(""),
});
