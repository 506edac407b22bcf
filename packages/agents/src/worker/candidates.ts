import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { Candidate, CategoryChoice } from "@multiverse/protocol/tooling";
import { workerKind } from "@multiverse/protocol/worker-kind";
import type { AgentCli } from "../cli/agent-cli.ts";
import { findLogin, type FoundLogin } from "../login.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { choiceFor } from "../tooling/choice.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** Who may do a step: the tooling's candidates, or the one that the call or the task names. */
export function choiceOf(
  { tooling, worker }: WorkerOptions,
  call: Pick<WorkerCall, "workerType"> | null,
): CategoryChoice {
  const configured = choiceFor(tooling, "worker");
  if (configured) return configured;
  const tool = workerKind(call?.workerType ?? worker.kind) ?? worker.kind;
  const candidate = { tool, model: "", weight: 1, flags: [], env: {}, toolSpecific: {} };
  return {
    strategy: "priority",
    fallbackOnRateLimit: true,
    cooldownSec: 120,
    candidates: [candidate],
  };
}

export function cliFor(options: WorkerOptions, candidate: Candidate): AgentCli {
  const cli = options.cliOf(candidate.tool);
  if (cli) return cli;
  throw new MultiverseError("SANDBOX_REFUSED", `${candidate.tool} cannot be used as a worker`, {
    hint: "Choose codex-cli, claude-code, gemini-cli, cursor-cli or mock for runner.worker.kind.",
  });
}

/**
 * Where a CLI runs. The demo agent needs no container. A real CLI runs on this machine itself only if the task says so
 * and the person who started us has allowed it; two keys, because a task file may come from anywhere.
 */
export function sandboxKindFor(
  { worker, hostEnv }: WorkerOptions,
  candidate: Candidate,
): Sandbox["kind"] {
  if (candidate.tool === "mock") return "local";
  if (worker.sandbox !== "local") return "docker";
  if (hostEnv.MULTIVERSE_ALLOW_LOCAL === "1") return "local";
  throw new MultiverseError(
    "SANDBOX_REFUSED",
    `${candidate.tool} may not run on this machine without a container`,
    {
      hint: "Remove `sandbox: local` from the task, or set MULTIVERSE_ALLOW_LOCAL=1 if you accept the risk.",
    },
  );
}

export function loginFor(options: WorkerOptions, candidate: Candidate): FoundLogin | null {
  const cli = cliFor(options, candidate);
  const own = candidate.tool === options.worker.kind;
  return findLogin(cli, {
    home: options.home,
    hostEnv: options.hostEnv,
    taskEnv: { ...options.env, ...candidate.env },
    ...(own ? { authPath: options.worker.authPath } : {}),
  });
}

export const needsLogin = (cli: AgentCli): boolean =>
  cli.login.env.length + cli.login.files.length > 0;
