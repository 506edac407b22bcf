import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess, type RunProcessOptions } from "./exec.ts";
import type { ExecPlan, OutputLine } from "./sandbox/sandbox.ts";

const folder = () => mkdtempSync(join(tmpdir(), "exec-"));
const never = new AbortController().signal;
const PATH = process.env["PATH"] ?? "";

async function run(plan: Partial<ExecPlan>, options: Partial<RunProcessOptions> = {}) {
  const lines: OutputLine[] = [];
  const result = await runProcess(
    {
      command: "sh",
      args: [],
      env: {},
      workdir: ".",
      stdin: "",
      timeoutSec: 0,
      idleTimeoutSec: 0,
      ...plan,
    },
    {
      signal: never,
      cwd: tmpdir(),
      env: { PATH },
      onLine: (line) => lines.push(line),
      ...options,
    },
  );
  const of = (stream: string) => lines.filter((l) => l.stream === stream).map((l) => l.line);
  return { ...result, stdout: of("stdout"), stderr: of("stderr") };
}

const shell = (script: string, plan: Partial<ExecPlan> = {}) => ({ args: ["-c", script], ...plan });
const node = (script: string, plan: Partial<ExecPlan> = {}) => ({
  command: process.execPath,
  args: ["-e", script],
  ...plan,
});

/** A duration nothing else on the machine sleeps for, so that a left-over process can be found by it. */
let marker = 86_400 + (process.pid % 10_000) * 100;
const nextMarker = () => String(++marker);

function sleepersFor(seconds: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  });
}

test("a command gives its lines by stream, its exit code and its duration", async () => {
  const got = await run(shell("cat; echo out; echo err >&2; exit 3", { stdin: "typed\n" }));
  expect(got).toMatchObject({
    end: "exited",
    exitCode: 3,
    stdout: ["typed", "out"],
    stderr: ["err"],
  });
  expect(got.durationMs).toBeGreaterThanOrEqual(0);
});

test("the working directory starts from the project and nothing of our environment leaks in", async () => {
  const cwd = folder();
  const got = await run(shell("pwd; echo ${HOME-none} $A $B", { workdir: "/", env: { A: "1" } }), {
    cwd,
    env: { PATH, B: "2" },
  });
  expect(got.stdout).toEqual(["/", "none 1 2"]);
  expect((await run(shell("pwd"), { cwd })).stdout).toEqual([cwd]);
});

test.each([
  ["a program that is not there", { command: "no-such-program" }, 127, "command not found"],
  ["a file that is not executable", { command: "/etc/passwd" }, 126, "cannot be run"],
  ["a working directory that is not there", { workdir: "nowhere" }, 127, "no such directory"],
  ["an argument with a NUL byte", { args: ["-c", "echo \0"] }, 126, "NUL"],
])("%s is an exit code and a line, as a shell would give it", async (_, plan, exitCode, said) => {
  const got = await run(plan);
  expect(got).toMatchObject({ end: "exited", exitCode });
  expect(got.stderr.join()).toContain(said);
});

test("a process that dies by a signal ends with 128 and its number", async () => {
  expect(await run(shell("kill -KILL $$"))).toMatchObject({ end: "exited", exitCode: 137 });
});

test("a process over its time is ended, also if it ignores TERM", async () => {
  const sleeper = nextMarker();
  const got = await run(
    shell(`trap '' TERM; echo ready; sleep ${sleeper}; sleep ${sleeper}`, { timeoutSec: 0.3 }),
    { graceMs: 100 },
  );
  expect(got).toMatchObject({ end: "timeout", exitCode: null, stdout: ["ready"] });
  expect(sleepersFor(sleeper)).toEqual([]);
});

test("a process that is given time to clean up says its last words", async () => {
  const got = await run(
    shell("trap 'echo bye; exit 0' TERM; echo ready; sleep 60 & wait", { timeoutSec: 0.3 }),
  );
  expect(got).toMatchObject({ end: "timeout", stdout: ["ready", "bye"] });
});

test("silence longer than allowed ends a run, output keeps it alive", async () => {
  const talkative = shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done", {
    idleTimeoutSec: 1,
  });
  expect(await run(talkative)).toMatchObject({ end: "exited", exitCode: 0 });
  const silent = shell("echo 1; sleep 60", { idleTimeoutSec: 0.3 });
  expect(await run(silent)).toMatchObject({ end: "idle_timeout", exitCode: null, stdout: ["1"] });
});

test("a cancel ends the whole group at once", async () => {
  const sleeper = nextMarker();
  const stop = new AbortController();
  const running = run(shell(`sh -c 'sleep ${sleeper}' & sh -c 'sleep ${sleeper}; true' & wait`), {
    signal: stop.signal,
  });
  await expect.poll(() => sleepersFor(sleeper).length, { timeout: 5_000 }).toBe(2);
  stop.abort();
  const got = await running;
  expect(got).toMatchObject({ end: "canceled", exitCode: null });
  await expect.poll(() => sleepersFor(sleeper), { timeout: 2_000 }).toEqual([]);
});

test("a signal that is already aborted starts nothing", async () => {
  const file = join(folder(), "made");
  const got = await run(shell(`touch ${file}`), { signal: AbortSignal.abort() });
  expect(got).toMatchObject({ end: "canceled", exitCode: null });
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

test("a daemon that holds the output does not hold up the end, and is not left behind", async () => {
  const sleeper = nextMarker();
  const got = await run(shell(`sleep ${sleeper} & echo done`));
  expect(got).toMatchObject({ end: "exited", exitCode: 0, stdout: ["done"] });
  await expect.poll(() => sleepersFor(sleeper), { timeout: 2_000 }).toEqual([]);
});

test("a daemon in a session of its own that holds the output does not hold up the end", async () => {
  const over = join(folder(), "over");
  const daemon = `setsid sh -c 'while ! test -e ${over}; do sleep 0.1; done'`;
  const got = await run(shell(`${daemon} & sleep 0.1; echo done`));
  writeFileSync(over, ""); // only now does it end: had anyone waited for it, nobody would have come here
  expect(got).toMatchObject({ end: "exited", exitCode: 0, stdout: ["done"] });
});

test("200 MB without a line end pass through in flat memory", async () => {
  const script = `const b = Buffer.alloc(1 << 20, 97); let n = 200;
    const go = () => { while (n-- > 0) if (!process.stdout.write(b)) return process.stdout.once("drain", go); };
    go();`;
  const before = process.memoryUsage.rss();
  const got = await run(node(script));
  expect(got.exitCode).toBe(0);
  expect(got.stdout).toHaveLength(1);
  expect(got.stdout[0]).toMatch(/^a{65536} … \[line cut at 65536 bytes\]$/);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1_048_576);
});

test("bytes that are no UTF-8 become replacement characters", async () => {
  expect((await run(shell("printf 'a\\377b\\n'"))).stdout).toEqual(["a\ufffdb"]);
});

test("a process that ends before it has read its input is judged by its exit code", async () => {
  const got = await run(shell("exit 7", { stdin: "x".repeat(4 * 1_048_576) }));
  expect(got).toMatchObject({ end: "exited", exitCode: 7 });
});

test("a secret in the environment is not in the arguments", async () => {
  const file = join(folder(), "cmdline");
  writeFileSync(file, "");
  await run(
    shell(`tr '\\0' ' ' < /proc/$$/cmdline > ${file}`, { env: { KEY: "sk-hidden-value" } }),
  );
  expect(readFileSync(file, "utf8")).not.toContain("sk-hidden-value");
});
