import { posix } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Engine } from "../docker/engine.ts";
import { EngineAnswer } from "../docker/errors.ts";
import { startExec, type RunningExec } from "../docker/exec.ts";
import { explainEnd, type End } from "./docker-end.ts";
import { killInside } from "./docker-kill.ts";
import { PROJECT_DIR, RUN_DIR, runInput } from "./docker-scripts.ts";
import { END_AT_ONCE } from "./sandbox.ts";
import type { ExecEnd, ExecPlan, ExecResult, OutputLine } from "./sandbox.ts";

/** The container a sandbox has at the moment; another one takes its place if it cannot be cleaned. */
export interface CurrentContainer {
  id(): Promise<string>;
  replace(): Promise<void>;
}

const LONGEST_TIMER_MS = 2_147_000_000;
/** After everything in the container is gone its output has nobody left to come from. */
const CLOSE_MS = 1_000;

/** Runs commands in a container, one or several at a time, each with its limits. */
export function createContainerRunner(engine: Engine, container: CurrentContainer) {
  const active = new Set<string>();
  const oom = { count: 0 };
  let runs = 0;

  async function once(
    plan: ExecPlan,
    signal: AbortSignal,
    onLine: (line: OutputLine) => void,
  ): Promise<Ended> {
    runs += 1;
    const id = `run-${runs}`;
    active.add(id);
    const watch = createWatch(plan, signal);
    try {
      const containerId = await container.id();
      const exec = await begin(engine, containerId, id, plan, { onLine, onBytes: watch.heard });
      if ("end" in exec) return { ...exec, exitCode: null };
      const said = await Promise.race([exec.done, watch.stopped]);
      const why = watch.why();
      const exitCode = typeof said === "number" ? said : null;
      if (why === null) {
        const end = await explainEnd(engine, containerId, exitCode, oom);
        return { ...end, exitCode: end.end === "exited" ? exitCode : null };
      }
      const others = [...active].filter((each) => each !== id);
      const grace = signal.reason === END_AT_ONCE ? 0 : undefined;
      if (!(await killInside(engine, containerId, others, grace))) await container.replace();
      await settle(exec);
      return { end: why, exitCode: null };
    } finally {
      watch.release();
      active.delete(id);
    }
  }

  return async function run(
    plan: ExecPlan,
    signal: AbortSignal,
    onLine: (line: OutputLine) => void,
  ): Promise<ExecResult> {
    const started = performance.now();
    const timed = (ended: Ended): ExecResult => ({
      ...ended,
      durationMs: Math.round(performance.now() - started),
    });
    if (signal.aborted) return timed({ end: "canceled", exitCode: null });
    if ([plan.command, plan.workdir, ...plan.args].some((word) => word.includes("\0"))) {
      onLine({ stream: "stderr", line: "a command cannot hold a NUL byte" });
      return timed({ end: "exited", exitCode: 126 });
    }
    const held = holdStartFailure(onLine);
    const ended = await once(plan, signal, (line) => held.add(line));
    if (!held.failed(ended.exitCode)) {
      held.release();
      return timed(ended);
    }
    // Nothing can be started in there any more (its processes are used up): a new container on the same tree.
    await container.replace();
    return timed(await once(plan, signal, onLine));
  };
}

type Ended = Omit<ExecResult, "durationMs">;

const NOT_STARTED = /^OCI runtime exec failed/;
const CANNOT_EXECUTE = 126;

/** The engine tells of a command it could not start as if the command had said it; such a first line is held back. */
function holdStartFailure(onLine: (line: OutputLine) => void) {
  let first = true;
  let held: OutputLine | null = null;
  const release = (): void => {
    if (held !== null) onLine(held);
    held = null;
  };
  return {
    add(line: OutputLine): void {
      if (first && NOT_STARTED.test(line.line)) held = line;
      else {
        release();
        onLine(line);
      }
      first = false;
    },
    failed: (exitCode: number | null): boolean => held !== null && exitCode === CANNOT_EXECUTE,
    release,
  };
}

async function begin(
  engine: Engine,
  containerId: string,
  id: string,
  plan: ExecPlan,
  listen: { onLine: (line: OutputLine) => void; onBytes: () => void },
): Promise<RunningExec | End> {
  const dir = posix.resolve(PROJECT_DIR, plan.workdir);
  const argv = ["sh", `${RUN_DIR}/shim`, id, dir, plan.command, ...plan.args];
  try {
    const stdin = runInput(id, plan.env, plan.stdin);
    return await startExec(engine, containerId, {
      argv,
      stdin,
      lineLimit: plan.lineLimit,
      ...listen,
    });
  } catch (error) {
    if (error instanceof EngineAnswer || error instanceof MultiverseError) {
      const { end, detail } = await explainEnd(engine, containerId, null, { count: 0 });
      return { end: end === "exited" ? "lost" : end, detail: detail ?? error.message };
    }
    throw error;
  }
}

/** Watches the clock, the silence and the signal; `stopped` resolves with the first that has had enough. */
function createWatch(plan: ExecPlan, signal: AbortSignal) {
  let why: ExecEnd | null = null;
  let tell: (why: ExecEnd) => void = () => {};
  const stopped = new Promise<ExecEnd>((resolve) => {
    tell = resolve;
  });
  const stop = (reason: ExecEnd): void => {
    why ??= reason;
    tell(why);
  };
  const timer = (seconds: number, reason: ExecEnd): NodeJS.Timeout | undefined =>
    seconds > 0
      ? setTimeout(() => stop(reason), Math.min(seconds * 1_000, LONGEST_TIMER_MS))
      : undefined;
  const wall = timer(plan.timeoutSec, "timeout");
  const idle = timer(plan.idleTimeoutSec, "idle_timeout");
  const onAbort = (): void => stop("canceled");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    stopped,
    heard: () => void idle?.refresh(),
    why: () => why,
    release() {
      clearTimeout(wall);
      clearTimeout(idle);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

async function settle(exec: RunningExec): Promise<void> {
  const timer = setTimeout(() => exec.detach(), CLOSE_MS);
  await exec.done;
  clearTimeout(timer);
}
