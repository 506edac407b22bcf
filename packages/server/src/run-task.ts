import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runSignals } from "@multiverse/orchestrator/execute/run-signals";
import type { RunEnd, RunRequest, RunTask } from "@multiverse/orchestrator/ports";
import { idProblem } from "@multiverse/protocol/id";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { isRunAlive, startRun, stopRun, type RunProcess } from "@multiverse/runner/child";
import { followRun, type FollowEnd } from "@multiverse/runner/follow-run";
import { z } from "zod";
import { findRun } from "./find-run.ts";
import { openCappedLog, type CappedLog } from "./files/capped-log.ts";
import { readSmall } from "./files/read-beneath.ts";
import { parseJson } from "./json-text.ts";

/** The workspace that runs belong to. */
export interface RunPlace {
  /** workspaces/<id>/ */
  readonly dir: string;
  readonly workspaceId: string;
  readonly projectRoot: string;
  readonly logCapBytes: () => number;
  /** Variables that the settings ask for. */
  readonly runEnv: () => Readonly<Record<string, string>>;
}

export interface RunsOptions extends RunPlace {
  /** dist/agent-runner.mjs */
  readonly runnerPath: string;
  /** What a run sees of the environment; keys included, since the runner resolves `env:` references. */
  readonly env: Readonly<Record<string, string>>;
}

/** Attempts as agent-runner processes that outlive this server: each has a folder that says all about it. */
export interface Runs extends RunTask {
  readonly pidOf: (attemptId: string) => number | null;
}

const Identity = z.object({ pid: z.int().positive(), startTime: z.string() });
const STDERR_TAIL = 4_096;

export function createRuns(options: RunsOptions): Runs {
  const known = new Map<string, RunProcess>();
  const folderOf = (attemptId: string): string => {
    if (idProblem(attemptId)) throw new Error(`attempt id ${attemptId} cannot be a folder`);
    return join(options.dir, "runs", attemptId);
  };

  async function processOf(attemptId: string): Promise<RunProcess | null> {
    const text = await readSmall(options.dir, `runs/${attemptId}/process.json`);
    const parsed = Identity.safeParse(text === null ? null : parseJson(text));
    if (known.has(attemptId) || parsed.success) return known.get(attemptId) ?? parsed.data ?? null;
    return findRun(join(folderOf(attemptId), "events.jsonl"));
  }

  return {
    async start(request) {
      const folder = folderOf(request.attemptId);
      const taskPath = join(folder, "task.yaml");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(taskPath, request.taskYaml, { mode: 0o600 });
      const { pid, startTime } = await startRun({
        taskPath,
        cwd: options.projectRoot,
        eventsPath: join(folder, "events.jsonl"),
        stderrPath: join(folder, "stderr.log"),
        resultPath: join(folder, "result.json"),
        env: { ...options.env, ...options.runEnv(), ...runEnv(request, options) },
        runnerPath: options.runnerPath,
      });
      known.set(request.attemptId, { pid, startTime });
      // It runs now, whatever becomes of this: without it, it is found by its command line.
      const identity = JSON.stringify({ pid, startTime });
      await writeFile(join(folder, "process.json"), identity, { mode: 0o600 }).catch(() => {});
    },

    async *follow(attemptId, signal) {
      setMaxListeners(0, signal); // one signal for all attempts: many listeners are no leak
      const folder = folderOf(attemptId);
      const eventsPath = join(folder, "events.jsonl");
      const run = await processOf(attemptId);
      const stderrTail = (): Promise<string> => tailOf(join(folder, "stderr.log"));
      // A run that nobody finds may still have said its last word before it went.
      if (!run && !existsSync(eventsPath)) return { how: "lost", stderrTail: await stderrTail() };
      if (run) known.set(attemptId, run);
      const logPath = join(options.dir, "logs/attempts", `${attemptId}.log`);
      const log = await openCappedLog(logPath, options.logCapBytes());
      try {
        const isAlive = (): boolean => run !== null && isRunAlive(run);
        const end = yield* logged(followRun(eventsPath, { signal, isAlive }), log);
        const how = end === "died" && !run ? "lost" : HOW[end];
        return { how, stderrTail: await stderrTail() };
      } finally {
        await log.close();
        known.delete(attemptId);
      }
    },

    async stop(attemptId) {
      const run = await processOf(attemptId);
      if (run) await stopRun(run);
    },

    pidOf: (attemptId) => known.get(attemptId)?.pid ?? null,
  };
}

const HOW: Readonly<Record<FollowEnd, RunEnd["how"]>> = {
  finished: "finished",
  died: "died",
  malformed: "malformed",
  aborted: "lost",
};

/** What a run is told about itself; it passes the trace id on to its worker. */
const runEnv = (request: RunRequest, { workspaceId, dir }: RunPlace): Record<string, string> => ({
  MULTIVERSE_TRACE_ID: request.traceId,
  MULTIVERSE_ATTEMPT_ID: request.attemptId,
  MULTIVERSE_WORKSPACE_ID: workspaceId,
  MULTIVERSE_EPOCH: String(request.epoch),
  ...(existsSync(join(dir, "patterns.yaml"))
    ? { MULTIVERSE_PATTERNS: join(dir, "patterns.yaml") }
    : {}),
});

/** The log of an attempt holds the lines that a person watching it sees live. */
const linesOf = (event: RunEvent): string[] =>
  runSignals(event, { taskId: event.taskId, taskTitle: "", attemptId: "" }).flatMap((each) =>
    each.signal === "task:log" ? [each.data.line] : [],
  );

/** Passes events on, what they say for a person into the attempt's log first. */
async function* logged(
  events: AsyncGenerator<RunEvent, FollowEnd>,
  log: CappedLog,
): AsyncGenerator<RunEvent, FollowEnd> {
  try {
    for (;;) {
      const next = await events.next();
      if (next.done) return next.value;
      for (const line of linesOf(next.value)) await log.write(line);
      // Whoever hears of the end and looks into the log finds all of it.
      if (next.value.type === "finished") await log.flush();
      yield next.value;
    }
  } finally {
    await events.return("aborted");
  }
}

async function tailOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => null);
  if (!file) return "";
  try {
    const { size } = await file.stat();
    const length = Math.min(size, STDERR_TAIL);
    const buffer = Buffer.alloc(length);
    await file.read(buffer, 0, length, size - length);
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}
