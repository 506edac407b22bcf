import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { callDocker } from "./docker-api.ts";
import type { Missing } from "./skips.ts";

/** Debian with git: enough to run a Node program that is mounted into it. Made by base-image.ts. */
export const baseImage = "multiverse-base:bookworm";

export interface DockerEngine {
  readonly socket: string;
}

/** Finds an engine that answers. */
export async function findDockerEngine(): Promise<DockerEngine | Missing> {
  for (const socket of socketCandidates().filter((path) => existsSync(path))) {
    if (await answers(socket)) return { socket };
  }
  return {
    missing: "no Docker engine answers",
    how: "start Docker, or run with CI=true as root on Debian",
  };
}

/** Finds an engine that also has the base image, which containers of tests are made from. */
export async function findDockerWithBaseImage(): Promise<DockerEngine | Missing> {
  const engine = await findDockerEngine();
  if (!("socket" in engine) || (await hasBaseImage(engine))) return engine;
  return {
    missing: `the Docker engine has no image ${baseImage}`,
    how: `docker pull debian:bookworm && docker tag debian:bookworm ${baseImage}`,
  };
}

export async function hasBaseImage({ socket }: DockerEngine): Promise<boolean> {
  return (await callDocker(socket, "GET", `/images/${baseImage}/json`)).status === 200;
}

/** Runs a command in a fresh container without a network, and removes it. */
export async function runInContainer(
  { socket }: DockerEngine,
  command: readonly string[],
): Promise<{ exitCode: number; output: string }> {
  // With a terminal the log is plain bytes, not frames of stdout and stderr.
  const config = { Image: baseImage, Cmd: command, Tty: true, HostConfig: { NetworkMode: "none" } };
  const created = await callDocker(socket, "POST", "/containers/create", config);
  if (created.status !== 201) throw new Error(`no container was made: ${created.body.toString()}`);
  const { Id } = JSON.parse(created.body.toString()) as { Id: string };
  const container = `/containers/${Id}`;
  try {
    const started = await callDocker(socket, "POST", `${container}/start`);
    if (started.status !== 204) throw new Error(`it did not start: ${started.body.toString()}`);
    const waited = await callDocker(socket, "POST", `${container}/wait`);
    const logs = await callDocker(socket, "GET", `${container}/logs?stdout=1&stderr=1`);
    const { StatusCode } = JSON.parse(waited.body.toString()) as { StatusCode: number };
    return { exitCode: StatusCode, output: logs.body.toString().replaceAll("\r\n", "\n") };
  } finally {
    await callDocker(socket, "DELETE", `${container}?force=1`);
  }
}

function socketCandidates(): string[] {
  const { DOCKER_HOST, XDG_RUNTIME_DIR } = process.env;
  if (DOCKER_HOST !== undefined) {
    return DOCKER_HOST.startsWith("unix://") ? [DOCKER_HOST.slice("unix://".length)] : [];
  }
  return [
    "/var/run/docker.sock",
    ...(XDG_RUNTIME_DIR === undefined ? [] : [join(XDG_RUNTIME_DIR, "docker.sock")]),
    join(homedir(), ".docker/run/docker.sock"),
  ];
}

async function answers(socket: string): Promise<boolean> {
  try {
    return (await callDocker(socket, "GET", "/_ping")).status === 200;
  } catch {
    return false; // the socket's engine is gone
  }
}
