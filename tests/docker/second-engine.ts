import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { callDocker } from "../harness/docker-api.ts";
import { baseImage, type DockerEngine } from "../harness/docker.ts";

/** A Docker engine of a test's own, which may be stopped and started again without anybody else noticing. */
export interface SecondEngine extends DockerEngine {
  /** Ends the engine and with it every container, as restarting the service does. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function openSecondEngine(first: DockerEngine): Promise<SecondEngine> {
  const folder = mkdtempSync(join(tmpdir(), "second-engine-"));
  const socket = join(folder, "docker.sock");
  const logFile = join(folder, "log");
  let dockerd: ChildProcess | null = null;

  async function start(): Promise<void> {
    rmSync(join(folder, "pid"), { force: true });
    const log = openSync(logFile, "a");
    const places = ["data-root", "exec-root", "pidfile"].map(
      (name) => `--${name}=${join(folder, name)}`,
    );
    // In a network of its own: with `--bridge=none` an engine removes the bridge docker0 it finds, which is the first one's.
    dockerd = spawn(
      "unshare",
      [
        "--net",
        "dockerd",
        ...places,
        `--host=unix://${socket}`,
        "--bridge=none",
        "--iptables=false",
        "--ip6tables=false",
      ],
      {
        stdio: ["ignore", log, log],
      },
    );
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
  const end = async (): Promise<void> => {
    if (dockerd === null || dockerd.exitCode !== null || dockerd.signalCode !== null) return;
    const ended = once(dockerd, "close");
    dockerd.kill();
    await ended;
  };

  await start();
  const image = await streamOf(first.socket, `/images/${baseImage}/get`);
  const loaded = await callDocker(socket, "POST", "/images/load", image);
  if (loaded.status !== 200)
    throw new Error(`the base image was not loaded: ${loaded.body.toString()}`);
  return {
    socket,
    stop: end,
    start,
    async remove() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

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
