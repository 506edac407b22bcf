import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createDockerSandbox } from "@multiverse/agents/sandbox/docker";
import { ownerOf } from "@multiverse/agents/sandbox/docker-orphans";
import type { Sandbox } from "@multiverse/agents/sandbox/sandbox";
import { callDocker } from "../harness/docker-api.ts";
import { baseImage, type DockerEngine } from "../harness/docker.ts";
import { openOwnNetwork, type OwnNetwork } from "./own-network.ts";

export interface EngineSettings {
  /** Containers outlive the engine. */
  readonly liveRestore: boolean;
}

/** A Docker engine of a test's own, which may be stopped and started again without anybody else noticing. */
export interface SecondEngine extends DockerEngine {
  readonly network: OwnNetwork;
  /** Ends the engine, as restarting the service does, or with another signal; without live-restore every container with it. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** With the settings it had, or others. */
  start(settings?: EngineSettings): Promise<void>;
  /** Stops it from doing anything: it takes calls and does not answer. */
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
}

export async function openSecondEngine(
  first: DockerEngine,
  settings: EngineSettings,
  image: string = baseImage,
): Promise<SecondEngine> {
  const folder = mkdtempSync(join(tmpdir(), "second-engine-"));
  const socket = join(folder, "docker.sock");
  const logFile = join(folder, "log");
  const network = await openOwnNetwork(folder);
  let dockerd: ChildProcess | null = null;
  let { liveRestore } = settings;

  async function start(changed?: EngineSettings): Promise<void> {
    liveRestore = changed?.liveRestore ?? liveRestore;
    rmSync(join(folder, "pidfile"), { force: true });
    const log = openSync(logFile, "a");
    const places = ["data-root", "exec-root", "pidfile"].map(
      (name) => `--${name}=${join(folder, name)}`,
    );
    const [command = "", ...args] = [
      ...network.enter,
      "dockerd",
      ...places,
      `--host=unix://${socket}`,
      // Said, so that it can be asked for: an engine that chooses by itself does not tell at first.
      "--bip=172.17.0.1/16",
      "--iptables=false",
      "--ip6tables=false",
      ...(liveRestore ? ["--live-restore"] : []),
    ];
    dockerd = spawn(command, args, { stdio: ["ignore", log, log] });
    closeSync(log);
    const deadline = Date.now() + 60_000;
    while (!(await answers(socket))) {
      if (Date.now() > deadline || dockerd.exitCode !== null) {
        throw new Error(
          `the second dockerd did not start:\n${readFileSync(logFile, "utf8").slice(-2_000)}`,
        );
      }
      await sleep(100);
    }
  }
  const end = async (signal?: NodeJS.Signals): Promise<void> => {
    if (dockerd === null || dockerd.exitCode !== null || dockerd.signalCode !== null) return;
    const ended = once(dockerd, "close");
    dockerd.kill(signal);
    await ended;
    // Its containerd goes with it, a moment later; an engine that starts in that moment would wait for it in vain.
    endContainerd(join(folder, "exec-root/containerd/containerd.pid"));
  };

  await start();
  const layers = await streamOf(first.socket, `/images/${image}/get`);
  const loaded = await callDocker(socket, "POST", "/images/load", layers);
  if (loaded.status !== 200)
    throw new Error(`the image ${image} was not loaded: ${loaded.body.toString()}`);
  return {
    socket,
    network,
    stop: end,
    start,
    freeze: () => void dockerd?.kill("SIGSTOP"),
    thaw: () => void dockerd?.kill("SIGCONT"),
    async remove() {
      if (dockerd?.exitCode !== null || dockerd.signalCode !== null) await start();
      // What an engine with live-restore leaves running nobody would end.
      await removeContainers(socket);
      await end();
      // An engine that was killed leaves its folder mounted on itself; the next one does not know that it is to undo that.
      spawnSync("umount", ["--quiet", join(folder, "data-root")]);
      await network.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function endContainerd(pidFile: string): void {
  try {
    const pid = Number(readFileSync(pidFile, "utf8"));
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // gone already
  }
  rmSync(pidFile, { force: true });
}

async function removeContainers(socket: string): Promise<void> {
  const { body } = await callDocker(socket, "GET", "/containers/json?all=1");
  for (const { Id } of JSON.parse(body.toString()) as { Id: string }[]) {
    await callDocker(socket, "DELETE", `/containers/${Id}?force=1`);
  }
}

/** The product's sandbox on such an engine. */
export const sandboxOn = ({ socket }: DockerEngine, owner = ownerOf(process.pid)): Sandbox =>
  createDockerSandbox({
    hostEnv: { DOCKER_HOST: `unix://${socket}` },
    home: "/nonexistent-home",
    dockerfiles: "",
    owner,
    unique: () => Math.random().toString(36).slice(2),
    sidecarPath: "",
    allowPrivateHosts: [],
  });

async function answers(socket: string): Promise<boolean> {
  try {
    return (await callDocker(socket, "GET", "/_ping")).status === 200;
  } catch {
    return false;
  }
}

function streamOf(socketPath: string, path: string): Promise<Readable> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, resolve).on("error", reject).end();
  });
}
