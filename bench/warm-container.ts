import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDockerSandbox } from "@multiverse/agents/sandbox/docker";
import { ownerOf } from "@multiverse/agents/sandbox/docker-orphans";
import type { SandboxHandle } from "@multiverse/agents/sandbox/sandbox";
import { root } from "../scripts/paths.mjs";
import { baseImage, findDockerWithBaseImage } from "../tests/harness/docker.ts";
import type { Row } from "./row.ts";
import { median } from "./stats.ts";

const ROUNDS = 25;

/** The second run in a task's container, next to `docker exec` in the same container, in turn. */
export async function run(): Promise<Row[]> {
  const docker = await findDockerWithBaseImage();
  if ("missing" in docker) {
    console.error(`left out, the container's row: ${docker.missing}`);
    return [];
  }
  const repo = realpathSync(mkdtempSync(join(tmpdir(), "mv-bench-docker-")));
  const handle = await startSandbox(repo);
  try {
    const ours: number[] = [];
    const bare: number[] = [];
    await oneRun(handle); // the first run is the cold one
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(timed(() => dockerExec(handle.id)));
      const started = performance.now();
      await oneRun(handle);
      ours.push(performance.now() - started);
    }
    const value = median(ours);
    const floor = median(bare);
    return [
      {
        name: "second worker run in a warm container, next to docker exec",
        value,
        unit: "ms",
        floor,
        ratio: value / floor,
        target: 1.3,
        ok: value / floor <= 1.3,
      },
    ];
  } finally {
    await handle.stop();
    rmSync(repo, { recursive: true, force: true });
  }
}

function startSandbox(repoPath: string): Promise<SandboxHandle> {
  const sandbox = createDockerSandbox({
    hostEnv: process.env,
    home: "/nonexistent-home",
    dockerfiles: join(root, "sandbox"),
    owner: ownerOf(process.pid),
    unique: () => `bench-${process.pid}`,
    sidecarPath: join(root, "dist/sidecar.mjs"),
    allowPrivateHosts: [],
  });
  return sandbox.start(
    {
      taskId: "bench",
      attemptId: "att-1",
      workspaceId: "bench",
      epoch: 1,
      traceId: "bench",
      repoPath,
      image: baseImage,
      env: {},
      logins: [],
      network: "none",
      allowHosts: [],
      gateway: false,
      memory: "512m",
      cpus: 1,
    },
    new AbortController().signal,
    () => {},
  );
}

async function oneRun(handle: SandboxHandle): Promise<void> {
  const { exitCode } = await handle.exec(
    {
      command: "true",
      args: [],
      env: {},
      workdir: ".",
      stdin: "",
      timeoutSec: 60,
      idleTimeoutSec: 0,
    },
    new AbortController().signal,
    () => {},
  );
  if (exitCode !== 0) throw new Error(`the run ended with ${exitCode}`);
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function dockerExec(id: string): void {
  const { status, stderr } = spawnSync("docker", ["exec", id, "true"]);
  if (status !== 0) throw new Error(`docker exec: ${String(stderr)}`);
}
