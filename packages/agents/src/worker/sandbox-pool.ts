import type { Candidate } from "@multiverse/protocol/tooling";
import type { AgentCli } from "../cli/agent-cli.ts";
import { loginMissing, type FoundLogin } from "../login.ts";
import { preflight } from "../preflight.ts";
import type { GatewayRoute, SandboxHandle, SandboxSpec } from "../sandbox/sandbox.ts";
import { bytesOf } from "../sandbox/docker-config.ts";
import { needsLogin, sandboxKindFor } from "./candidates.ts";
import { cliPathOf } from "./request.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** The sandboxes of one task: one per image, started when first needed, all stopped at the end. */
export interface SandboxPool {
  handleFor(
    candidate: Candidate,
    cli: AgentCli,
    login: FoundLogin | null,
    signal: AbortSignal,
  ): Promise<SandboxHandle>;
  /** The one used last. */
  current(): SandboxHandle | null;
  /** The memory limit of the sandboxes that are started now. */
  memory(): string;
  /**
   * After one ran out of memory: those started from now on get the larger limit, and those there are stopped. False where
   * there is no larger limit, or it has been given already.
   */
  enlarge(): Promise<boolean>;
  /** A sandbox that was lost is not used again. */
  forget(handle: SandboxHandle): Promise<void>;
  close(): Promise<void>;
}

export function createSandboxPool(options: WorkerOptions): SandboxPool {
  const started = new Map<string, Promise<SandboxHandle>>();
  let last: SandboxHandle | null = null;
  let { memory } = options.worker;
  const close = async (): Promise<void> => {
    const all = [...started.values()];
    started.clear();
    last = null;
    await Promise.all(
      all.map((running) =>
        running.then(
          (handle) => handle.stop(),
          () => {},
        ),
      ),
    );
  };
  return {
    async handleFor(candidate, cli, login, signal) {
      const key = `${candidate.tool}\n${imageOf(options, candidate, cli)}`;
      const isFirst = started.size === 0;
      const running =
        started.get(key) ?? start({ options, candidate, cli, login, signal, isFirst, memory });
      started.set(key, running);
      try {
        last = await running;
        return last;
      } catch (error) {
        started.delete(key);
        throw error;
      }
    },
    current: () => last,
    memory: () => memory,
    async enlarge() {
      const larger = options.worker.memoryOnOom ?? options.hostEnv.MULTIVERSE_MEMORY_ON_OOM;
      if (larger === undefined || bytesOf(larger) <= bytesOf(memory)) return false;
      memory = larger;
      await close();
      return true;
    },
    async forget(handle) {
      for (const [key, running] of started) {
        if ((await running.catch(() => null)) === handle) started.delete(key);
      }
      if (last === handle) last = null;
      await handle.stop();
    },
    close,
  };
}

interface Start {
  readonly options: WorkerOptions;
  readonly candidate: Candidate;
  readonly cli: AgentCli;
  readonly login: FoundLogin | null;
  readonly signal: AbortSignal;
  /** The one a task begins with is asked for its version; one that takes over in a hurry is not. */
  readonly isFirst: boolean;
  readonly memory: string;
}

async function start(begin: Start): Promise<SandboxHandle> {
  const { options, candidate, cli, login, signal } = begin;
  const kind = sandboxKindFor(options, candidate);
  if (login === null && needsLogin(cli)) throw loginMissing(cli);
  const image = kind === "docker" ? imageOf(options, candidate, cli) : null;
  const spec = { ...specFor(options, cli, login, image), memory: begin.memory };
  const handle = await options.sandboxOf(kind).start(spec, signal, options.report);
  if (!begin.isFirst) return handle;
  try {
    await preflight(cli, handle, cliPathOf(options, candidate), signal, spec.memory);
    return handle;
  } catch (error) {
    await handle.stop();
    throw error;
  }
}

function specFor(
  options: WorkerOptions,
  cli: AgentCli,
  login: FoundLogin | null,
  image: string | null,
): SandboxSpec {
  const { worker, task, attemptId, workspaceId, epoch, traceId } = options;
  return {
    taskId: task.id,
    attemptId,
    workspaceId,
    epoch,
    traceId,
    repoPath: task.repoPath,
    image,
    env: { ...options.env, MULTIVERSE_TRACE_ID: traceId },
    logins: login?.mounts ?? [],
    network: worker.network,
    allowHosts: [
      ...(cli.apiHosts ?? []),
      ...hostOfAddress(options, cli, login),
      ...worker.allowHosts,
    ],
    gateway: worker.gateway,
    gatewayRoute: worker.gateway ? gatewayRoute(options, cli, login) : null,
    homeFiles: cli.homeFiles(Object.keys(login?.env ?? {})),
    memory: worker.memory,
    cpus: worker.cpus,
  };
}

/** The task's own address for the CLI's model, else the one beside the person's key. */
const addressOf = (
  { env }: WorkerOptions,
  cli: AgentCli,
  login: FoundLogin | null,
): string | undefined =>
  (cli.baseUrlEnv === undefined ? undefined : env[cli.baseUrlEnv]) ?? login?.address ?? undefined;

/** Where the CLI is sent to another address, that address is what it has to reach. */
function hostOfAddress(options: WorkerOptions, cli: AgentCli, login: FoundLogin | null): string[] {
  const address = addressOf(options, cli, login);
  if (address === undefined || !URL.canParse(address)) return [];
  const { hostname, port } = new URL(address);
  return [port === "" ? hostname : `${hostname}:${port}`];
}

const imageOf = ({ worker }: WorkerOptions, candidate: Candidate, cli: AgentCli): string =>
  (candidate.tool === worker.kind ? worker.dockerImage : undefined) ?? cli.image;

/** The real key stays with the gateway, so only a key that comes in a variable can be guarded this way. */
function gatewayRoute(
  options: WorkerOptions,
  cli: AgentCli,
  login: FoundLogin | null,
): GatewayRoute | null {
  const key = Object.values(login?.env ?? {})[0];
  const upstream = addressOf(options, cli, login) ?? cli.gatewayUpstream;
  return key !== undefined && upstream !== undefined ? { upstream, key } : null;
}
