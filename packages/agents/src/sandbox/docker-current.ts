import { removeContainer, startContainer } from "../docker/container.ts";
import type { Engine } from "../docker/engine.ts";
import { canceled, startFailed } from "../docker/errors.ts";
import { startExec } from "../docker/exec.ts";
import { containerName } from "./docker-config.ts";
import { setupScript } from "./docker-scripts.ts";
import type { SandboxSpec } from "./sandbox.ts";

/** The container a sandbox has at the moment; another one takes its place if it cannot be cleaned. */
export interface CurrentContainer {
  /** Starts one where there is none. */
  id(): Promise<string>;
  /** Takes it away; the next that asks for an id gets a new one. */
  replace(): Promise<void>;
  /** Takes it away; there will be no other. */
  close(): Promise<void>;
}

export function createCurrentContainer(
  engine: Engine,
  spec: SandboxSpec,
  config: object,
  unique: () => string,
): CurrentContainer {
  let current: Promise<string> | null = null;
  let isClosed = false;
  /** Those to be taken away, until they are: the engine may be gone when it is asked to. */
  const unwanted = new Set<string>();
  const removeUnwanted = async (): Promise<void> => {
    for (const id of unwanted) {
      await removeContainer(engine, id);
      unwanted.delete(id);
    }
  };
  const begin = async (): Promise<string> => {
    if (isClosed) throw canceled();
    const id = await startContainer(engine, containerName(spec, "worker", unique()), config);
    try {
      await setUp(engine, id, spec);
      return id;
    } catch (error) {
      unwanted.add(id);
      await removeUnwanted().catch(() => {}); // it will be tried again at the end
      throw error;
    }
  };
  const replace = async (): Promise<void> => {
    const id = await (current ?? Promise.resolve(null)).catch(() => null);
    current = null;
    if (id !== null) unwanted.add(id);
    await removeUnwanted();
  };
  return {
    id: () => (current ??= begin()),
    replace,
    close() {
      isClosed = true;
      return replace();
    },
  };
}

/** Logins and settings go in by the input of one command: nothing of them is seen from outside. */
async function setUp(engine: Engine, id: string, spec: SandboxSpec): Promise<void> {
  const said: string[] = [];
  const loginTargets = spec.logins.map(({ target }) => target);
  const exec = await startExec(engine, id, {
    argv: ["sh", "-s"],
    stdin: setupScript({ homeFiles: spec.homeFiles ?? {}, loginTargets }),
    onLine: ({ line }) => void said.push(line),
  });
  const exitCode = await exec.done;
  if (exitCode === 0 && said.includes("ready")) return;
  throw startFailed(
    spec.image ?? "",
    new Error(said.slice(-3).join("; ") || `its set-up ended with ${exitCode}`),
  );
}
