import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { root } from "../scripts/paths.mjs";
import type { Row } from "./row.ts";

const ROUNDS = 31;
const TARGET = 2.5;
const KINDS = ["codex-cli", "mock"] as const;

/** How long `agent-runner --dry-run` takes, next to a Node that does nothing; in turn, so that both see the same machine. */
export function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "mv-bench-start-"));
  try {
    return Promise.resolve(KINDS.map((kind) => measure(folder, kind)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measure(folder: string, kind: string): Row {
  const task = join(folder, "task.yaml");
  writeFileSync(
    task,
    `version: 1\ntask: { id: T, prd: { text: x } }\nrunner: { worker: { kind: ${kind} } }\n`,
  );
  const dryRun = [join(root, "dist/agent-runner.mjs"), "--dry-run", "--task", task];
  const ours: number[] = [];
  const nothing: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    nothing.push(wallTime(folder, ["-e", "0"]));
    ours.push(wallTime(folder, dryRun));
  }
  const floor = median(nothing);
  const value = median(ours);
  return {
    name: `agent-runner start: --dry-run, worker ${kind}`,
    value,
    unit: "ms",
    floor,
    ratio: value / floor,
    target: TARGET,
    ok: value / floor <= TARGET,
  };
}

function wallTime(cwd: string, args: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${String(stderr)}`);
  return performance.now() - started;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
