import { join } from "node:path";
import { toCamel } from "@multiverse/protocol/case";
import { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { WorkerSection } from "@multiverse/protocol/task-file";
import type { AgentCli } from "../cli/agent-cli.ts";
import { localSandbox } from "../sandbox/local.ts";
import { systemClock } from "../system-clock.ts";
import { openCooldownGate } from "../tooling/cooldown.ts";
import type { WorkerOptions } from "../worker/worker-options.ts";

/** A real process that speaks a CLI's own protocol: what it says is the script it is given as a flag. */
export const speaking = (cli: AgentCli, script: string): AgentCli => ({
  ...cli,
  plan: (request) => ({
    ...cli.plan({ ...request, flags: [] }),
    command: "sh",
    args: ["-c", script, "sh", request.mode, request.sessionId ?? ""],
  }),
  versionPlan: (path) => ({ ...cli.versionPlan(path), command: "sh", args: ["-c", "echo 1"] }),
});

/** A worker on this machine: repo, home and gate are in `folder`, what it reports goes to `events`. */
export function workerOptions(
  folder: string,
  events: RunEventBody[],
  clis: Readonly<Record<string, AgentCli>>,
): WorkerOptions {
  const hostEnv = {
    PATH: process.env.PATH,
    MULTIVERSE_ALLOW_LOCAL: "1",
    OPENAI_API_KEY: "sk-host-0123456789",
    ANTHROPIC_API_KEY: "sk-ant-0123456789",
  };
  return {
    task: { id: "T-1", repoPath: join(folder, "repo") },
    worker: toCamel(WorkerSection.parse({ kind: "codex-cli", sandbox: "local" })),
    tooling: null,
    env: {},
    secrets: [],
    words: new Set(),
    attemptId: "a-1",
    workspaceId: "w-1",
    epoch: 1,
    traceId: "trace",
    hostEnv,
    home: join(folder, "home"),
    sandboxOf: () => localSandbox(hostEnv),
    cliOf: (kind) => clis[kind],
    gate: openCooldownGate(join(folder, "gate"), systemClock),
    clock: systemClock,
    random: () => 0,
    newId: (prefix) => `${prefix}-${events.length}`,
    report: (event) => void events.push(event),
  };
}

export const call = (over: object = {}): WorkerCall =>
  toCamel(WorkerCall.parse({ prompt: "do the step", ...over }));
