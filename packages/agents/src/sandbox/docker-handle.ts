import { posix } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Engine } from "../docker/engine.ts";
import { EngineAnswer } from "../docker/errors.ts";
import type { Listener, RunningExec } from "../docker/exec.ts";
import type { CurrentContainer } from "./docker-current.ts";
import { explainEnd, type End } from "./docker-end.ts";
import { killInside } from "./docker-kill.ts";
import { startPiped } from "./docker-piped.ts";
import type { Pipes } from "./docker-pipes.ts";
import { PROJECT_DIR, runInput, shim } from "./docker-scripts.ts";
import { createWatch } from "../exec-watch.ts";
import { END_AT_ONCE } from "./sandbox.ts";
import type { ExecPlan, ExecResult, OutputLine } from "./sandbox.ts";
import { holdStartFailure } from "./start-failure.ts";

/** After everything in the container is gone its output has nobody left to come from. */
const CLOSE_MS = 1_000;

export interface ContainerRunnerParts {
  readonly engine: Engine;
  readonly container: CurrentContainer;
  /** Variables of every command. They go in by its input: nothing of them is seen from outside. */
  readonly env: Readonly<Record<string, string>>;
  readonly pipes: Pipes | null;
  /** The engine is gone and the command goes on. */
  readonly onEngineGone: () => void;
}

/** Runs commands in a container, one or several at a time, each with its limits. */
export function createContainerRunner(parts: ContainerRunnerParts) {
  const { engine, container } = parts;
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
      const listener = { onLine, onBytes: watch.heard, lineLimit: plan.lineLimit };
      const exec = await begin(parts, containerId, id, plan, listener, signal);
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

  async function run(
    plan: ExecPlan,
    signal: AbortSignal,
    onLine: (line: OutputLine) => void,
  ): Promise<Ended> {
    if (signal.aborted) return { end: "canceled", exitCode: null };
    if ([plan.command, plan.workdir, ...plan.args].some((word) => word.includes("\0"))) {
      onLine({ stream: "stderr", line: "a command cannot hold a NUL byte" });
      return { end: "exited", exitCode: 126 };
    }
    const held = holdStartFailure(onLine);
    const ended = await once(plan, signal, (line) => held.add(line));
    if (!held.failed(ended.exitCode)) {
      held.release();
      return ended;
    }
    // Nothing can be started in there any more (its processes are used up): a new container on the same tree.
    await container.replace();
    return once(plan, signal, onLine);
  }
  return untilLost(run);
}

type Ended = Omit<ExecResult, "durationMs">;
type Run = (
  plan: ExecPlan,
  signal: AbortSignal,
  onLine: (line: OutputLine) => void,
) => Promise<Ended>;

/** A sandbox that was lost stays lost: whoever goes on asking is told so at once, and not after waiting for the engine. */
function untilLost(run: Run): (...asked: Parameters<Run>) => Promise<ExecResult> {
  let lost: Ended | null = null;
  return async (...asked) => {
    const started = performance.now();
    const ended: Ended = lost ?? (await run(...asked));
    if (ended.end === "lost") lost = ended;
    return { ...ended, durationMs: Math.round(performance.now() - started) };
  };
}

async function begin(
  { engine, env, pipes, onEngineGone }: ContainerRunnerParts,
  containerId: string,
  id: string,
  plan: ExecPlan,
  listener: Listener,
  signal: AbortSignal,
): Promise<RunningExec | End> {
  const dir = posix.resolve(PROJECT_DIR, plan.workdir);
  const kernel = pipes?.kernel ?? "none";
  const argv = shim(id, kernel, dir, plan.command, ...plan.args);
  const stdin = runInput(id, { ...env, ...plan.env }, plan.stdin);
  try {
    const exec = { ...listener, id, pipes, argv, stdin, onEngineGone, signal };
    return await startPiped(engine, containerId, exec);
  } catch (error) {
    if (error instanceof EngineAnswer || error instanceof MultiverseError) {
      const { end, detail } = await explainEnd(engine, containerId, null, { count: 0 });
      return { end: end === "exited" ? "lost" : end, detail: detail ?? error.message };
    }
    throw error;
  }
}

async function settle(exec: RunningExec): Promise<void> {
  const timer = setTimeout(() => exec.detach(), CLOSE_MS);
  await exec.done;
  clearTimeout(timer);
}
