import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { MultiverseError } from "@multiverse/protocol/error";
import { runProcess } from "../exec.ts";
import { endLeftBehind, SANDBOX_VARIABLE } from "../left-behind.ts";
import type { Sandbox, SandboxHandle, SandboxSpec } from "./sandbox.ts";

/**
 * No sandbox at all: commands run on this machine in the project's folder. For the demo agent and for tests; whoever
 * decides to run a real CLI in it has to make sure that the CLI's own sandbox is on.
 */
export function localSandbox(hostEnv: Readonly<Record<string, string | undefined>>): Sandbox {
  return {
    kind: "local",
    start(spec, signal, report) {
      return Promise.resolve().then(() => start(spec, hostEnv, signal, report));
    },
  };
}

/** What programs need of the host to run at all; keys and tokens are not among it. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SystemRoot",
];

function start(
  spec: SandboxSpec,
  hostEnv: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  report: Parameters<Sandbox["start"]>[2],
): SandboxHandle {
  if (signal.aborted) throw canceled();
  if (!statSync(spec.repoPath, { throwIfNoEntry: false })?.isDirectory())
    throw new MultiverseError(
      "SANDBOX_FAILED",
      `the project folder ${spec.repoPath} does not exist`,
      {
        hint: "Check task.repo.",
      },
    );
  const id = `local-${randomUUID()}`;
  const env = {
    ...Object.fromEntries(
      PASSED_ON.flatMap((name) => (hostEnv[name] === undefined ? [] : [[name, hostEnv[name]]])),
    ),
    ...spec.env,
    MULTIVERSE_TRACE_ID: spec.traceId,
    [SANDBOX_VARIABLE]: id,
  };
  const stopped = new AbortController();
  const running = new Set<Promise<unknown>>();
  report({ type: "container", phase: "starting", image: "local" });
  report({ type: "container", phase: "started", image: "local", containerId: id, durationMs: 0 });
  return {
    id,
    image: "local",
    projectDir: spec.repoPath,
    exec(plan, stop, onLine) {
      const run = runProcess(plan, {
        cwd: spec.repoPath,
        env,
        signal: AbortSignal.any([stop, stopped.signal]),
        onLine,
      });
      running.add(run);
      return run.finally(() => running.delete(run));
    },
    async stop() {
      const first = !stopped.signal.aborted;
      stopped.abort();
      await Promise.allSettled(running);
      endLeftBehind(id);
      if (first) report({ type: "container", phase: "stopped", image: "local", containerId: id });
    },
  };
}

const canceled = (): MultiverseError =>
  new MultiverseError("CANCELED", "canceled before the sandbox was started", {
    hint: "Start the task again.",
  });
