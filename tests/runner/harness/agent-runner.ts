import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { toCamel } from "@multiverse/protocol/case";
import { RunEvent } from "@multiverse/protocol/run-event";
import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import { root } from "../../../scripts/paths.mjs";

export const RUNNER = join(root, "dist/agent-runner.mjs");

/** A folder of its own for a test: the repo the task works in and a home nobody else has. */
export function newPlace() {
  const folder = mkdtempSync(join(tmpdir(), "agent-runner-"));
  const repo = mkdtempSync(join(folder, "repo-"));
  const home = mkdtempSync(join(folder, "home-"));
  return { folder, repo, home, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
export type Place = ReturnType<typeof newPlace>;

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every event so far. */
  readonly events: RunEvent[];
  /** Resolves with the first event that fits, also one that has come already. */
  readonly seen: (fits: (event: RunEvent) => boolean) => Promise<RunEvent>;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: RunEvent[];
  /** The result in `finished`; throws where there is none. */
  readonly result: () => RunResult;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Given as text, or as data that becomes YAML; null leaves stdin open. */
  readonly task: string | object | null;
}

/** agent-runner as it ships, in a real process with nothing of our environment but the PATH. */
export function startRunner(
  { repo, home }: Place,
  { args = ["--json"], env = {}, task }: StartOptions,
): Started {
  const child = spawn(process.execPath, [RUNNER, ...args], {
    cwd: repo,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      MULTIVERSE_HOME: join(home, "mv"),
      MULTIVERSE_DEMO_DELAY: "0",
      ...env,
    },
  });
  let stdout = "";
  let stderr = "";
  let rest = "";
  const events: RunEvent[] = [];
  const waiting = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (args.includes("--json") && !args.includes("--dry-run"))
      events.push(...lines.map(readEvent));
    for (const look of waiting) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});
  if (task !== null) child.stdin.end(typeof task === "string" ? task : stringify(task));
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code) =>
      resolve({ code, stdout, stderr, events, result: () => resultIn(events) }),
    ),
  );
  const seen = (fits: (event: RunEvent) => boolean): Promise<RunEvent> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = events.find(fits);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void ended.then(() =>
        reject(new Error(`the run ended before the event came\n${stdout}\n${stderr}`)),
      );
      look();
    });
  return { child, events, seen, ended };
}

export const runRunner = (place: Place, options: StartOptions): Promise<Ended> =>
  startRunner(place, options).ended;

const readEvent = (line: string): RunEvent => toCamel(RunEvent.parse(JSON.parse(line)));

function resultIn(events: readonly RunEvent[]): RunResult {
  const last = events.at(-1);
  if (last?.type !== "finished") throw new Error(`the last event is ${last?.type ?? "none"}`);
  return last.result;
}

export const statesOf = (events: readonly RunEvent[]): string[] =>
  events
    .filter((event): event is RunEvent & RunEventOf<"state"> => event.type === "state")
    .map(({ to }) => to);

/** Pids of processes whose environment holds this variable. Ours are marked, so that a leftover is found for sure. */
export function processesWith(marker: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(marker);
      } catch {
        return false;
      }
    })
    .map(Number);
}
