import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerFile } from "@multiverse/protocol/settings";
import { createClient, type Client } from "@multiverse/server/client";
import { expect } from "vitest";

const program = fileURLToPath(new URL("../../dist/multiverse.mjs", import.meta.url));

export interface Place {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** An empty home and project of their own; the demo agent without its pauses. */
export async function makePlace(env: NodeJS.ProcessEnv = {}): Promise<Place> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "multiverse-program-")));
  const project = join(root, "project");
  await mkdir(project);
  return {
    root,
    project,
    home: join(root, "home"),
    env: {
      PATH: process.env["PATH"],
      HOME: root,
      MULTIVERSE_HOME: join(root, "home"),
      MULTIVERSE_DEMO_DELAY: "0",
      ...env,
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

/** `multiverse …` as a process of its own. */
export function start(place: Place, args: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...args], { env: place.env, cwd: place.root });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exit = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  return { child, output: () => output, exit };
}

/** A clean stop, so that no run outlives the test that it belongs to. */
export async function stopAll(started: Started[]): Promise<void> {
  for (const { child, exit } of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exit;
  }
}

/** Runs a command to its end. */
export async function finish(
  place: Place,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const started = start(place, args);
  const code = await started.exit;
  return { code, output: started.output() };
}

/** A server that is ready. */
export async function serveAt(
  place: Place,
  ready: RegExp,
  args: readonly string[],
): Promise<Started> {
  const started = start(place, [place.project, "--no-open", ...args]);
  await expect.poll(started.output, { timeout: 20_000, interval: 50 }).toMatch(ready);
  return started;
}

const READY = /ready at http:\/\/127\.0\.0\.1:\d+\/login#code=\S+/;

export const serveDemo = (place: Place, args: readonly string[] = []): Promise<Started> =>
  serveAt(place, READY, ["--demo", ...args]);

/** With whoever the place's settings name. */
export const serve = (place: Place): Promise<Started> => serveAt(place, READY, []);

export const readServerJson = async ({ home }: Place): Promise<ServerFile> =>
  ServerFile.parse(JSON.parse(await readFile(join(home, "server.json"), "utf8")));

export const clientOf = async (place: Place): Promise<Client> =>
  createClient(await readServerJson(place));

/** Ends a process that may have gone by itself: one that was stopped goes on when nobody is left to wait for it. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The id of the workspace that was opened first. */
export async function workspaceOf({ api }: Client): Promise<string> {
  const { workspaces } = await api.workspaces();
  return workspaces.at(-1)?.id ?? "";
}
