import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRun } from "@multiverse/server/find-run";
import { createRuns } from "@multiverse/server/run-task";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../harness/run-command.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { findStrace } from "../harness/strace.ts";

const strace = await findStrace();

/** A runner that notes down that it was started, takes its time, and ends well; without its task it does nothing. */
const RUNNER = `
import { appendFileSync, readFileSync } from "node:fs";
const at = (flag) => process.argv[process.argv.indexOf(flag) + 1];
appendFileSync(at("--events") + ".starts", "started\\n");
if (readFileSync(0, "utf8") !== "version: 1\\n") process.exit(9);
const stamp = { v: 1, at: new Date().toISOString(), trace_id: "trace-1", task_id: "task-1" };
const say = (event) => appendFileSync(at("--events"), JSON.stringify({ ...stamp, ...event }) + "\\n");
say({ type: "state", from: "PENDING", to: "PLANNING" });
setTimeout(() => {
  const validation = { overall: "passed", commands: [], warnings: [] };
  const usage = { input_tokens: 0, output_tokens: 0, usd: null };
  say({ type: "finished", result: { task_id: "task-1", status: "succeeded", state: "COMPLETE", summary: "done",
    reason: null, question: null, retry_at: null, criteria: [], validation, artifacts: { files: [], note: null },
    usage, worker_runs: 0, meta_calls: 0, loops: 0, duration_ms: 1 } });
}, 400);
`;

interface Step {
  readonly call: string;
  /** Below the attempt's folder. */
  readonly files: readonly string[];
}

const ALL = ["", "/task.yaml", "/stderr.log", "/process.json"];
const STEPS: readonly Step[] = [
  ...["mkdir", "openat", "write", "close"].map((call) => ({ call, files: ALL })),
  // The run is there, and nothing says so yet.
  { call: "openat", files: ["/process.json"] },
];

describe.skipIf(skipWithout(strace, "tests that kill a server while it starts a run"))(
  "a server that is killed while it starts a run",
  () => {
    let base: string;
    let program: string;
    beforeAll(async () => {
      base = await mkdtemp(join(tmpdir(), "starting-"));
      program = join(base, "starter.mjs");
      await build({
        entryPoints: [join(import.meta.dirname, "starter.ts")],
        outfile: program,
        bundle: true,
        platform: "node",
        format: "esm",
        target: "node20.19",
        logLevel: "silent",
      });
    });
    afterAll(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));

    async function place(): Promise<string> {
      const dir = await mkdtemp(join(base, "ws-"));
      await mkdir(join(dir, "logs/attempts"), { recursive: true });
      await writeFile(join(dir, "runner.mjs"), RUNNER);
      return dir;
    }

    /** Kills the starter, not the run it made, at the n-th call of a kind on the files of the attempt. */
    async function killAt(dir: string, { call, files }: Step, nth: number): Promise<string> {
      const folder = join(dir, "runs/att-1");
      const fault = `inject=${call}:signal=KILL:when=${nth}`;
      const options = ["-qq", "-o", "/dev/null", "-b", "execve", "-e", fault];
      const [command, ...args] = present(strace).around(
        [...options, ...files.flatMap((file) => ["-P", folder + file])],
        [process.execPath, program, dir, join(dir, "runner.mjs")],
      );
      const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
      return (await runCommand(command, args, { env })).stdout;
    }

    async function untilGone(dir: string): Promise<void> {
      const run = () => findRun(join(dir, "runs/att-1/events.jsonl"));
      await expect.poll(run, { timeout: 20_000 }).toBeNull();
    }

    /** What the next server hears of the attempt. */
    async function heardAfter(dir: string): Promise<string> {
      const runs = createRuns({
        dir,
        workspaceId: "ws",
        projectRoot: dir,
        runnerPath: join(dir, "runner.mjs"),
        env: {},
        runEnv: () => ({}),
        logCapBytes: () => 1_048_576,
      });
      const events = runs.follow("att-1", AbortSignal.timeout(20_000));
      for (;;) {
        const next = await events.next();
        if (next.done) return next.value.how;
      }
    }

    const startsOf = async (dir: string): Promise<number> =>
      (await readFile(join(dir, "runs/att-1/events.jsonl.starts"), "utf8").catch(() => "")).split(
        "\n",
      ).length - 1;

    test.each([
      ["while the run goes on", false],
      ["when the run has ended meanwhile", true],
    ])(
      "leaves a run that is heard to its end, or none: never one that nobody knows of (%s)",
      { timeout: 300_000 },
      async (_, isLate) => {
        const killed = { finished: 0, lost: 0 };
        for (const step of STEPS) {
          for (let nth = 1; ; nth += 1) {
            const dir = await place();
            const isWhole = (await killAt(dir, step, nth)).includes("started");
            if (isLate) await untilGone(dir);
            const how = await heardAfter(dir);
            const starts = await startsOf(dir);
            expect([how, starts], `killed at ${step.call} ${nth}`).toEqual(
              starts === 0 ? ["lost", 0] : ["finished", 1],
            );
            if (isWhole) break;
            killed[how === "finished" ? "finished" : "lost"] += 1;
          }
        }
        // Before there is a process, and between it and the note of which process it is.
        expect(killed.lost).toBeGreaterThan(3);
        expect(killed.finished).toBeGreaterThan(2);
      },
    );
  },
);
