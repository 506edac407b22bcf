import { spawnSync } from "node:child_process";
import { openTestSandbox, type TestSandbox } from "../tests/docker/sandbox.ts";
import { findDockerWithBaseImage } from "../tests/harness/docker.ts";
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
  const box = await openTestSandbox();
  try {
    const ours: number[] = [];
    const bare: number[] = [];
    await oneRun(box); // the first run is the cold one
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(timed(() => dockerExec(box.handle.id)));
      const started = performance.now();
      await oneRun(box);
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
    await box.remove();
  }
}

async function oneRun(box: TestSandbox): Promise<void> {
  const { exitCode } = await box.run("", { command: "true", args: [] });
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
