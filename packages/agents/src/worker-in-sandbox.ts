import { posix } from "node:path";
import type { ExecResult, OutputLine, SandboxHandle } from "./sandbox/sandbox.ts";
import { choiceOf } from "./worker/candidates.ts";
import { chooserFor, problemWith, whyNobody } from "./worker/choosing.ts";
import { makeRoom, outOfMemory } from "./worker/out-of-memory.ts";
import { createSandboxPool } from "./worker/sandbox-pool.ts";
import { createSecretBook } from "./worker/secret-book.ts";
import { createSessionUsage } from "./worker/session-usage.ts";
import { prepare, runStep, type WorkerMemory } from "./worker/step.ts";
import type { WorkerOptions } from "./worker/worker-options.ts";
import type { Worker } from "./worker.ts";

export interface WorkerInSandbox extends Worker {
  /** Everything that must never be shown, as far as known by now: the task's secrets and what is in the logins. */
  secrets(): readonly string[];
}

/** A coding CLI in its sandbox, or several of them one after the other in the same working tree. */
export function createWorker(options: WorkerOptions): WorkerInSandbox {
  const warned = new Set<string>();
  const memory: WorkerMemory = {
    options,
    pool: createSandboxPool(options),
    secrets: createSecretBook(options.secrets, options.words),
    sessions: new Map(),
    usageOfRun: createSessionUsage(),
    opened: null,
    warnOnce(message) {
      if (warned.has(message)) return;
      warned.add(message);
      options.report({ type: "log", level: "warn", message, fields: {} });
    },
  };
  const { pool, secrets } = memory;
  return {
    async open(signal) {
      const chooser = chooserFor(options, null);
      const { candidate, ...nobody } = await chooser.choose();
      if (candidate !== null) {
        memory.opened = { chooser, candidate };
        await prepare(memory, candidate, signal);
      } else if (!("retryAt" in nobody) || nobody.retryAt === null) throw whyNobody(options, null);
      // Everybody is cooling: `run` waits for the first that comes back.
    },
    run: (call, signal) => runStep(memory, call, signal),
    async check(plan, signal, onLine) {
      const first = await check(memory, plan, signal, onLine);
      const isRepeated = first.end === "oom" && (await makeRoom(pool, options));
      return isRepeated ? check(memory, plan, signal, onLine) : first;
    },
    async close() {
      const { opened } = memory;
      memory.opened = null;
      await pool.close();
      await opened?.chooser.settle(opened.candidate, "unknown");
    },
    secrets: () => secrets.values(),
  };
}

async function check(
  memory: WorkerMemory,
  plan: Parameters<Worker["check"]>[0],
  signal: AbortSignal,
  onLine: (line: OutputLine) => void,
): Promise<ExecResult> {
  const handle = memory.pool.current() ?? (await handleForCheck(memory, signal));
  const exec = {
    command: "sh",
    args: ["-c", plan.command],
    env: {},
    workdir: posix.join(handle.projectDir, plan.workdir),
    stdin: "",
    timeoutSec: plan.timeoutSec,
    idleTimeoutSec: 0,
  };
  const mask = memory.secrets.mask();
  const result = await handle.exec(exec, signal, ({ stream, line }) =>
    onLine({ stream, line: mask.mask(line) }),
  );
  if (result.end !== "oom") return result;
  return { ...result, detail: outOfMemory(memory.pool.memory()).message };
}

/** A check needs a sandbox, not an account: that of a candidate that is cooling will do. */
async function handleForCheck(memory: WorkerMemory, signal: AbortSignal): Promise<SandboxHandle> {
  const { options } = memory;
  const usable = choiceOf(options, null).candidates.find(
    (candidate) => problemWith(options, candidate) === null,
  );
  if (usable === undefined) throw whyNobody(options, null);
  return (await prepare(memory, usable, signal)).handle;
}
