import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDockerSandbox } from "@multiverse/agents/sandbox/docker";
import { ownerOf } from "@multiverse/agents/sandbox/docker-orphans";
import type {
  ExecPlan,
  ExecResult,
  SandboxHandle,
  SandboxReport,
  SandboxSpec,
} from "@multiverse/agents/sandbox/sandbox";
import { root } from "../../scripts/paths.mjs";
import { baseImage } from "../harness/docker.ts";

let made = 0;

/** A sandbox of the base image on a folder of its own; what a test leaves is removed by `remove`. */
export interface TestSandbox {
  readonly handle: SandboxHandle;
  readonly repo: string;
  readonly events: Parameters<SandboxReport>[0][];
  run(script: string, over?: Partial<ExecPlan>, signal?: AbortSignal): Promise<TestRun>;
  remove(): Promise<void>;
}

export interface TestRun extends ExecResult {
  readonly stdout: string;
  readonly stderr: string;
}

export const tempRepo = (): string => realpathSync(mkdtempSync(join(tmpdir(), "sandbox-")));

export const testSpec = (repoPath: string, over: Partial<SandboxSpec> = {}): SandboxSpec => ({
  taskId: `T-${process.pid}-${(made += 1)}`,
  attemptId: "att-1",
  workspaceId: `ws-${process.pid}`,
  epoch: 1,
  traceId: "trace-1",
  repoPath,
  image: baseImage,
  env: {},
  logins: [],
  network: "none",
  allowHosts: [],
  gateway: false,
  memory: "512m",
  cpus: 1,
  ...over,
});

export const testDocker = (allowPrivateHosts: readonly string[] = []) =>
  createDockerSandbox({
    hostEnv: process.env,
    home: "/nonexistent-home",
    dockerfiles: join(root, "sandbox"),
    owner: ownerOf(process.pid),
    unique: () => `${process.pid}-${(made += 1)}`,
    sidecarPath: join(root, "dist/sidecar.mjs"),
    allowPrivateHosts,
  });

export async function openTestSandbox(
  over: Partial<SandboxSpec> = {},
  allowPrivateHosts: readonly string[] = [],
): Promise<TestSandbox> {
  const repo = over.repoPath ?? tempRepo();
  const events: Parameters<SandboxReport>[0][] = [];
  const spec = testSpec(repo, over);
  const handle = await testDocker(allowPrivateHosts).start(
    spec,
    new AbortController().signal,
    (event) => events.push(event),
  );
  return {
    handle,
    repo,
    events,
    run: (script, plan, signal) => runScript(handle, script, plan, signal),
    async remove() {
      await handle.stop();
      rmSync(repo, { recursive: true, force: true });
    },
  };
}

export async function runScript(
  handle: SandboxHandle,
  script: string,
  over: Partial<ExecPlan> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<TestRun> {
  const lines = { stdout: [] as string[], stderr: [] as string[] };
  const plan: ExecPlan = {
    command: "sh",
    args: ["-c", script],
    env: {},
    workdir: ".",
    stdin: "",
    timeoutSec: 60,
    idleTimeoutSec: 0,
    ...over,
  };
  const result = await handle.exec(plan, signal, ({ stream, line }) => lines[stream].push(line));
  return { ...result, stdout: lines.stdout.join("\n"), stderr: lines.stderr.join("\n") };
}
