import { mountedIn } from "../docker/container.ts";
import { connectEngine, type Engine } from "../docker/engine.ts";
import { canceled, EngineAnswer, startFailed } from "../docker/errors.ts";
import { dockerSocket } from "../docker/socket.ts";
import { ensureImage } from "../images.ts";
import { containerConfig, LABEL, loginMounts, projectMount } from "./docker-config.ts";
import { openEgress, type Egress, type EgressOptions } from "./docker-egress.ts";
import { untilEgressIsLost } from "./docker-egress-loss.ts";
import { guardGit } from "./docker-git-guard.ts";
import { createCurrentContainer, type CurrentContainer } from "./docker-current.ts";
import { createContainerRunner } from "./docker-handle.ts";
import { removeOrphans } from "./docker-orphans.ts";
import { withPipes, type Pipes } from "./docker-pipes.ts";
import { HOME_DIR, PROJECT_DIR } from "./docker-scripts.ts";
import { containerUser, refuseWideRepo } from "./docker-user.ts";
import type { Sandbox, SandboxHandle, SandboxReport, SandboxSpec } from "./sandbox.ts";

export interface DockerSandboxOptions extends EgressOptions {
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The person's home folder. */
  readonly home: string;
  /** The folder of the Dockerfiles that ship with the product. */
  readonly dockerfiles: string;
  /** Tells this process from every other; see `ownerOf`. */
  readonly owner: string;
  /** A few characters that have not been used before. */
  readonly unique: () => string;
}

/** Containers of a Docker engine on this machine. */
export function createDockerSandbox(options: DockerSandboxOptions): Sandbox {
  return {
    kind: "docker",
    async start(spec, signal, report) {
      const started = performance.now();
      const image = spec.image ?? "";
      refuseWideRepo(spec.repoPath, options.home);
      const engine = connectEngine(dockerSocket(options.hostEnv, options.home));
      try {
        await removeOrphans(engine, spec.workspaceId);
        const { dockerfiles } = options;
        const baseImage = options.hostEnv.MULTIVERSE_BASE_IMAGE;
        await ensureImage(image, { engine, dockerfiles, signal, baseImage }, report);
        report({ type: "container", phase: "starting", image });
        const handle = await withPipes((pipes) =>
          startHandle({ engine, spec, options, pipes, signal, report }),
        );
        const durationMs = Math.round(performance.now() - started);
        report({ type: "container", phase: "started", image, containerId: handle.id, durationMs });
        return handle;
      } catch (error) {
        engine.close();
        throw error instanceof EngineAnswer ? startFailed(image, error) : error;
      }
    },
  };
}

interface StartParts {
  readonly engine: Engine;
  readonly spec: SandboxSpec;
  readonly options: DockerSandboxOptions;
  readonly pipes: Pipes | null;
  readonly signal: AbortSignal;
  readonly report: SandboxReport;
}

async function startHandle(begin: StartParts): Promise<SandboxHandle> {
  const { engine, spec, options, pipes, signal, report } = begin;
  const image = spec.image ?? "";
  const user = containerUser(spec.repoPath);
  const guard = guardGit(spec.repoPath, PROJECT_DIR);
  let egress: Egress | null = null;
  let container: CurrentContainer | null = null;
  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    const started = performance.now();
    await Promise.allSettled([container?.close(), egress?.close()]);
    if (await isLeft(engine, spec.repoPath)) guard.release();
    pipes?.remove();
    engine.close();
    const durationMs = Math.round(performance.now() - started);
    report({ type: "container", phase: "stopped", image, durationMs });
  };
  try {
    egress = await openEgress(engine, spec, { ...options, image, user, pipes }, signal, report);
    const mounts = [
      projectMount(spec.repoPath),
      ...guard.mounts,
      ...loginMounts(spec.logins),
      ...(pipes === null ? [] : [pipes.mount]),
    ];
    const networkMode = egress?.networkMode ?? networkOf(spec);
    const parts = { spec, image, role: "worker", user, owner: options.owner, mounts } as const;
    const config = containerConfig({ ...parts, networkMode });
    container = createCurrentContainer(engine, spec, config, options.unique);
    const id = await container.id();
    if (signal.aborted) throw canceled();
    if (!guard.isWhole()) throw startFailed(image, new Error("its repo changed meanwhile"));
    const env = { ...spec.env, ...egress?.env, HOME: HOME_DIR, ...GIT_TRUST };
    const onEngineGone = (): void => report(ENGINE_GONE);
    const runner = createContainerRunner({ engine, container, env, pipes, onEngineGone });
    const run = untilEgressIsLost(runner, egress?.loss ?? null);
    return {
      id: id.slice(0, 12),
      image,
      projectDir: PROJECT_DIR,
      ...(egress?.gateway ? { gateway: egress.gateway } : {}),
      async exec(plan, end, onLine) {
        const began = performance.now();
        try {
          const result = await run(plan, end, onLine);
          if (stopping === null) return result;
        } catch (error) {
          if (stopping === null) throw error;
        }
        // Whoever stops the sandbox ends what runs in it, and knows why.
        const durationMs = Math.round(performance.now() - began);
        return { end: "canceled", exitCode: null, durationMs };
      },
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Whether nobody works on the repo any more; who cannot tell leaves everything as it is. */
async function isLeft(engine: Engine, repoPath: string): Promise<boolean> {
  try {
    return (await mountedIn(engine, repoPath, `${LABEL}.role=worker`)).length === 0;
  } catch {
    return false;
  }
}

const ENGINE_GONE: Parameters<SandboxReport>[0] = {
  type: "log",
  level: "warn",
  message:
    "Docker stopped or was restarted; the command goes on in its container, and nothing it says is lost",
  fields: {},
};

const networkOf = ({ network }: SandboxSpec): string => (network === "default" ? "bridge" : "none");

/** The project may belong to another user than the one git runs as; inside the container that is no danger. */
const GIT_TRUST = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: PROJECT_DIR,
};
