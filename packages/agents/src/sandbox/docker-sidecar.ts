import { basename, dirname } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { startContainer } from "../docker/container.ts";
import type { Engine } from "../docker/engine.ts";
import { jsonLine } from "../cli/json-line.ts";
import { SidecarLine, type SidecarConfig } from "../proxy/sidecar-config.ts";
import { containerConfig, containerName } from "./docker-config.ts";
import { startPiped } from "./docker-piped.ts";
import type { Pipes } from "./docker-pipes.ts";
import { PIPED } from "./docker-scripts.ts";
import type { SandboxSpec } from "./sandbox.ts";

export interface SidecarParts {
  readonly engine: Engine;
  readonly spec: SandboxSpec;
  readonly image: string;
  readonly user: string;
  readonly owner: string;
  readonly sidecarPath: string;
  readonly volume: string;
  readonly sharedDir: string;
  readonly unique: () => string;
  readonly pipes: Pipes | null;
}

const PROGRAM_DIR = "/opt/multiverse";
const READY_MS = 30_000;

/** A container beside the worker's, with our program and the shared socket folder, and nothing of the project. */
export function startSidecar(
  parts: SidecarParts,
  role: "egress" | "relay",
  networkMode: string,
): Promise<string> {
  const { engine, spec, image, user, owner, sidecarPath, volume, sharedDir } = parts;
  const small = { ...spec, memory: "256m", cpus: 1 };
  const mounts = [
    { Type: "bind", Source: dirname(sidecarPath), Target: PROGRAM_DIR, ReadOnly: true },
    { Type: "volume", Source: volume, Target: sharedDir, ReadOnly: false },
    ...(parts.pipes === null ? [] : [parts.pipes.mount]),
  ] as const;
  const config = containerConfig({ spec: small, image, role, user, owner, networkMode, mounts });
  return startContainer(engine, containerName(spec, role, parts.unique()), config);
}

const LAUNCH = `id=$1 host=$2\nshift 2\n${PIPED}`;

export interface SidecarListener {
  readonly onRefused: (asked: string, why: string) => void;
  /** It was ready and has ended, whoever ended it. */
  readonly onEnded: () => void;
}

/** Runs the program; resolves when it listens. What it is told goes in by its input: there is a key in it. */
export async function runSidecar(
  { engine, sidecarPath, pipes, signal }: SidecarParts & { readonly signal: AbortSignal },
  role: "egress" | "relay",
  container: string,
  config: SidecarConfig,
  { onRefused, onEnded }: SidecarListener,
): Promise<void> {
  const said: string[] = [];
  let tellReady: () => void = () => {};
  const ready = new Promise<"ready">((resolve) => {
    tellReady = () => resolve("ready");
  });
  const program = ["node", `${PROGRAM_DIR}/${basename(sidecarPath)}`];
  const exec = await startPiped(engine, container, {
    id: role,
    pipes,
    argv: ["sh", "-c", LAUNCH, "sh", role, pipes?.kernel ?? "none", ...program],
    onEngineGone: () => {},
    signal,
    stdin: JSON.stringify(config),
    onLine({ line }) {
      const event = SidecarLine.safeParse(jsonLine(line)).data;
      if (event?.event === "ready") tellReady();
      else if (event?.event === "refused") onRefused(event.asked, event.why);
      else if (said.length < 20) said.push(line);
    },
  });
  const late = AbortSignal.any([signal, AbortSignal.timeout(READY_MS)]);
  const gaveUp = new Promise<"late">((resolve) => {
    if (late.aborted) resolve("late");
    else late.addEventListener("abort", () => resolve("late"), { once: true });
  });
  const first = await Promise.race([ready, exec.done, gaveUp]);
  if (first === "ready") {
    void exec.done.then(onEnded, onEnded);
    return;
  }
  exec.detach();
  const why = said.at(-1) ?? (first === "late" ? "it did not answer" : `exit code ${first}`);
  throw new MultiverseError(
    "SANDBOX_FAILED",
    `the side-car for the network could not be started: ${why}`,
    {
      hint: "It runs in the worker's image, which must have Node; use one of the shipped images, or network: default without a gateway.",
    },
  );
}
