import { randomUUID } from "node:crypto";
import { mock } from "@multiverse/agents/cli/mock";
import { cliOf } from "@multiverse/agents/cli/registry";
import type { Logger } from "@multiverse/agents/log";
import { localSandbox } from "@multiverse/agents/sandbox/local";
import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";
import { systemClock } from "@multiverse/agents/system-clock";
import type { CooldownGate } from "@multiverse/agents/tooling/cooldown";
import type { Worker } from "@multiverse/agents/worker";
import { createWorker } from "@multiverse/agents/worker-in-sandbox";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { LiveMask } from "../live-mask.ts";
import { sampleLines } from "../sample-lines.ts";
import { secretsOfTask } from "../secrets-of-task.ts";
import { resolveReferences } from "../task-file/env-references.ts";
import type { Env } from "../task-file/env-references.ts";
import type { ResolvedTask } from "../task-file/resolve-task.ts";
import { resolveTooling } from "../task-file/resolve-tooling.ts";
import { homeOf } from "./cooldown-gate.ts";
import { dockerSandbox } from "./docker-sandbox.ts";
import { logSandbox } from "./log-sandbox.ts";

export interface OpenWorker {
  readonly task: ResolvedTask;
  readonly env: Env;
  readonly traceId: string;
  readonly mask: LiveMask;
  readonly gate: CooldownGate;
  readonly log: Logger;
  readonly report: (event: RunEventBody) => void;
  readonly onOutput: (line: OutputLine) => void;
}

/** The worker of a task. This is where `env:` references become values: on their way into the sandbox. */
export function openWorker({
  task,
  env,
  traceId,
  mask,
  gate,
  log,
  report,
  onOutput,
}: OpenWorker): Worker {
  const sandboxLog = logSandbox(log, task);
  const worker = createWorker({
    task: { id: task.id, repoPath: task.repoPath },
    worker: task.worker,
    tooling: resolveTooling(task.tooling, env),
    env: { ...demoSettings(task, env), ...resolveReferences(task.worker.env, env) },
    secrets: secretsOfTask(task, env),
    words: mask.words,
    attemptId: env.MULTIVERSE_ATTEMPT_ID ?? randomUUID().slice(0, 8),
    workspaceId: env.MULTIVERSE_WORKSPACE_ID ?? "none",
    epoch: Number(env.MULTIVERSE_EPOCH ?? 0) || 0,
    traceId,
    hostEnv: env,
    home: homeOf(env),
    sandboxOf: (kind) => (kind === "local" ? localSandbox(env) : dockerSandbox(env)),
    cliOf: (kind) => (kind === "mock" ? mock : cliOf(kind)),
    gate,
    clock: systemClock,
    random: Math.random,
    newId: (prefix) => `${prefix}-${randomUUID().slice(0, 8)}`,
    report(event) {
      sandboxLog.see(event);
      report(event);
    },
    onOutput,
  });
  /** Logins are found on the way; from then on they are hidden everywhere. */
  const learning = async <T>(act: Promise<T>): Promise<T> => {
    try {
      return await act;
    } finally {
      mask.add(worker.secrets());
    }
  };
  return {
    open: (signal) => learning(worker.open(signal)),
    run(call, signal) {
      sandboxLog.running(call);
      return learning(worker.run(call, signal));
    },
    async check(plan, signal, onLine) {
      const sample = sampleLines(onLine, () => systemClock.monotonic());
      try {
        return await worker.check(plan, signal, (line) => sample.add(line));
      } finally {
        sample.end();
      }
    },
    close: () => worker.close(),
  };
}

const DEMO_SETTINGS = ["MULTIVERSE_MOCK_SCRIPT", "MULTIVERSE_DEMO_DELAY"];

/** The demo worker runs without the host's environment; its own settings are not secret. */
function demoSettings({ worker, tooling }: ResolvedTask, env: Env): Record<string, string> {
  if (worker.kind !== "mock" && tooling === null) return {};
  return Object.fromEntries(
    DEMO_SETTINGS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}
