import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { resolve as resolvePath } from "node:path";
import type { Readable } from "node:stream";
import { MultiverseError } from "@multiverse/protocol/error";
import { createWatch } from "./exec-watch.ts";
import { createLineSplitter } from "./lines.ts";
import { killGroup } from "./process-group.ts";
import type { ExecEnd, ExecPlan, ExecResult, OutputLine } from "./sandbox/sandbox.ts";

export interface RunProcessOptions {
  readonly signal: AbortSignal;
  readonly onLine: (line: OutputLine) => void;
  /** Where `plan.workdir` starts from; absolute. */
  readonly cwd: string;
  /** The whole environment the plan's own variables are added to; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Between TERM and KILL. */
  readonly graceMs?: number;
}

const GRACE_MS = 5_000;
/** How long output may still come after the process itself is gone: a grandchild can hold the pipe for ever. */
const DRAIN_MS = 250;

/**
 * Runs one command on the host in its own process group and reports its output line by line. When it returns, nothing of
 * the group is left: not after a time-out or a cancel (TERM, grace, KILL), and not after a normal end either.
 * A command that cannot be started is a result as a shell would give it: 127 not found, 126 not executable.
 */
export async function runProcess(plan: ExecPlan, options: RunProcessOptions): Promise<ExecResult> {
  const started = performance.now();
  const result = (end: ExecEnd, exitCode: number | null): ExecResult => ({
    end,
    exitCode,
    durationMs: Math.round(performance.now() - started),
  });
  if (options.signal.aborted) return result("canceled", null);

  const cwd = resolvePath(options.cwd, plan.workdir);
  if (hasNulByte(plan)) {
    options.onLine({ stream: "stderr", line: "a command cannot hold a NUL byte" });
    return result("exited", 126);
  }
  const child = spawn(plan.command, [...plan.args], {
    cwd,
    env: { ...options.env, ...plan.env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const forget = endWithUs(child.pid);
  const ending = watch(child, plan, options);
  const outputs = [
    readLines(child.stdout, "stdout", plan.lineLimit, options.onLine, ending.heard),
    readLines(child.stderr, "stderr", plan.lineLimit, options.onLine, ending.heard),
  ];
  // A process that ends before it has read its input breaks the pipe: its exit code says what happened.
  child.stdin.on("error", () => {});
  child.stdin.end(plan.stdin);

  try {
    const exit = await exitOf(child);
    if ("failure" in exit) return result("exited", startFailure(exit.failure, plan, cwd, options));
    await settle(outputs, child);
    return result(ending.why() ?? "exited", ending.why() ? null : exit.code);
  } finally {
    ending.release();
    forget();
  }
}

const running = new Set<number>();

/** A process that has to end at once still takes its groups with it; nobody else knows them. */
function endWithUs(pid: number | undefined): () => void {
  if (pid === undefined) return () => {};
  if (running.size === 0) process.once("exit", killAll);
  running.add(pid);
  return () => {
    running.delete(pid);
    if (running.size === 0) process.off("exit", killAll);
  };
}

function killAll(): void {
  for (const pid of running) killGroup(pid, "SIGKILL");
}

/** The one thing in a command that makes `spawn` throw; commands may come from a model. */
const hasNulByte = ({ command, args, env, workdir }: ExecPlan): boolean =>
  [command, workdir, ...args, ...Object.entries(env).flat()].some((text) => text.includes("\0"));

type Exit = { code: number } | { failure: NodeJS.ErrnoException };

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((done) => {
    child.once("error", (failure) => done({ failure }));
    child.once("exit", (code, signal) =>
      done({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) }),
    );
  });
}

/** Whatever has had enough first ends the whole group. */
function watch(
  child: ChildProcess,
  plan: ExecPlan,
  { signal, graceMs = GRACE_MS }: RunProcessOptions,
) {
  const { pid } = child;
  const limits = createWatch(plan, signal);
  let killer: NodeJS.Timeout | undefined;
  void limits.stopped.then(() => {
    if (pid === undefined) return;
    killGroup(pid, "SIGTERM");
    killer = setTimeout(() => killGroup(pid, "SIGKILL"), graceMs);
  });
  return {
    ...limits,
    release() {
      limits.release();
      clearTimeout(killer);
    },
  };
}

function readLines(
  source: Readable,
  stream: OutputLine["stream"],
  lineLimit: number | undefined,
  onLine: RunProcessOptions["onLine"],
  heard: () => void,
): Promise<void> {
  const splitter = createLineSplitter(lineLimit);
  const report = (lines: string[]): void => {
    for (const line of lines) onLine({ stream, line });
  };
  source.on("data", (chunk: Buffer) => {
    heard();
    report(splitter.push(chunk));
  });
  source.on("error", () => {});
  return new Promise((done) => {
    source.once("close", () => {
      report(splitter.end());
      done();
    });
  });
}

/** Takes what output is still on its way, then ends whatever the process left behind in its group. */
async function settle(outputs: Promise<void>[], child: ChildProcess): Promise<void> {
  const drained = Promise.all(outputs);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, DRAIN_MS);
  });
  await Promise.race([drained, late]);
  clearTimeout(timer);
  if (child.pid !== undefined) killGroup(child.pid, "SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.stdin?.destroy();
  await drained;
}

function startFailure(
  failure: NodeJS.ErrnoException,
  plan: ExecPlan,
  cwd: string,
  { onLine }: RunProcessOptions,
): number {
  const say = (line: string): void => onLine({ stream: "stderr", line });
  if (failure.code === "ENOENT") {
    if (existsSync(cwd)) say(`${plan.command}: command not found`);
    else say(`${plan.workdir}: no such directory`);
    return 127;
  }
  if (["EACCES", "ENOTDIR", "E2BIG"].includes(failure.code ?? "")) {
    say(`${plan.command}: cannot be run (${failure.code})`);
    return 126;
  }
  throw new MultiverseError("SANDBOX_FAILED", `cannot start ${plan.command}: ${failure.code}`, {
    hint: "The machine may be out of memory or processes; close something and try again.",
    retryable: true,
    cause: failure,
  });
}
