import { posix } from "node:path";
import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { Candidate } from "@multiverse/protocol/tooling";
import { workerKind } from "@multiverse/protocol/worker-kind";
import type { AgentCli, CliRequest } from "../cli/agent-cli.ts";
import type { FoundLogin } from "../login.ts";
import type { SandboxHandle } from "../sandbox/sandbox.ts";
import { sandboxKindFor } from "./candidates.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** What one call of a CLI needs to know, before it becomes flags. */
export interface RunParts {
  readonly cli: AgentCli;
  readonly candidate: Candidate;
  readonly call: WorkerCall;
  readonly prompt: string;
  readonly handle: SandboxHandle;
  readonly login: FoundLogin | null;
  readonly model: string;
  readonly sessionId: string | null;
}

export function requestFor(options: WorkerOptions, parts: RunParts): CliRequest {
  const { worker } = options;
  const { candidate, call, handle } = parts;
  const sessionId = call.mode === "resume" ? parts.sessionId : null;
  return {
    prompt: parts.prompt,
    model: parts.model,
    mode: sessionId === null ? "exec" : "resume",
    sessionId,
    reasoningEffort: call.reasoningEffort ?? null,
    cliPath: cliPathOf(options, candidate),
    flags: [...candidate.flags, ...(candidate.tool === worker.kind ? worker.flags : [])],
    env: envFor(options, parts),
    workdir: posix.join(handle.projectDir, call.workdir ?? "."),
    place: sandboxKindFor(options, candidate) === "docker" ? "container" : "host-guarded",
    outputSchema: null,
    baseUrl: handle.gateway?.baseUrl ?? null,
    timeoutSec: worker.maxRunTimeSec,
    idleTimeoutSec: worker.idleTimeoutSec,
    toolSpecific: { ...candidate.toolSpecific, ...call.toolSpecific },
  };
}

/** Keys go to the CLI's runs only, not to checks and tests; behind a gateway not even there. */
function envFor(
  options: WorkerOptions,
  { cli, candidate, call, handle, login }: RunParts,
): Record<string, string> {
  const env: Record<string, string> = {
    ...(cli.baseUrlEnv && login?.address ? { [cli.baseUrlEnv]: login.address } : {}),
    ...options.env,
    ...candidate.env,
    ...call.env,
    ...login?.env,
  };
  const { gateway } = handle;
  if (gateway === undefined) return env;
  for (const name of [...cli.login.env, cli.baseUrlEnv ?? ""]) delete env[name];
  for (const name of Object.keys(login?.env ?? {})) env[name] = gateway.token;
  return env;
}

/** Tooling's model wins over the call's, the call's over the task's; each speaks only for its own kind of CLI. */
export function modelNamed(
  { worker }: WorkerOptions,
  candidate: Candidate,
  call: WorkerCall,
): string | undefined {
  const callKind = workerKind(call.workerType ?? worker.kind);
  const asked = callKind === candidate.tool ? call.model : undefined;
  return candidate.model || asked || (candidate.tool === worker.kind ? worker.model : undefined);
}

export const cliPathOf = ({ worker }: WorkerOptions, candidate: Candidate): string | null =>
  candidate.cliPath ?? (candidate.tool === worker.kind ? worker.cliPath : undefined) ?? null;
