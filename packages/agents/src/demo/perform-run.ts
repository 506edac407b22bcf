import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { runProcess } from "../exec.ts";
import { systemClock } from "../system-clock.ts";
import type { DemoEvent } from "./demo-event.ts";
import { fillInText, type Language, type Variables } from "./fill-in.ts";
import type { Found } from "./find-in-script.ts";
import type { Run, TaskScript } from "./script.ts";

export interface Performance {
  readonly run: Run;
  readonly task: Found<TaskScript> | null;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly delayFactor: number;
  readonly print: (event: DemoEvent) => void;
  readonly printRaw: (text: string) => void;
}

/** Does what a run of the script says, step by step, and gives the exit code. */
export async function performRun(performance: Performance): Promise<number> {
  const { run, task, cwd, signal, print, printRaw } = performance;
  const language: Language = task?.language ?? "en";
  const variables: Variables = task?.variables ?? {};
  const text = (value: Run["summary"]): string => fillInText(value, language, variables);
  const pause = (): Promise<void> =>
    systemClock.sleep(run.delay_ms * performance.delayFactor, signal);

  print({ type: "session", id: `demo-${process.pid}` });
  if (isLimited(performance)) return refuse(performance);
  for (const thought of run.think) {
    await pause();
    print({ type: "reasoning", text: text(thought) });
  }
  for (const said of run.say) {
    await pause();
    print({ type: "message", text: text(said) });
  }
  for (const [path, content] of Object.entries(run.files)) {
    await pause();
    const name = fillInText(path, language, variables);
    const target = inside(cwd, name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text(content));
    print({ type: "file_change", path: name, change: "write" });
  }
  for (const path of run.delete) {
    rmSync(inside(cwd, path), { recursive: true, force: true });
    print({ type: "file_change", path, change: "delete" });
  }
  for (const command of run.commands) {
    await pause();
    print(await execute(command, cwd, signal));
  }
  if (run.garbage !== undefined) printRaw(run.garbage);
  if (run.hang) await systemClock.sleep(2_147_000_000, signal);
  await pause();
  if (run.fail === undefined) print({ type: "result", ok: true, summary: text(run.summary) });
  else print({ type: "result", ok: false, summary: text(run.fail), failure: "other" });
  return run.exit_code;
}

const OUTPUT_TAIL = 4_000;

async function execute(command: string, cwd: string, signal: AbortSignal): Promise<DemoEvent> {
  const lines: string[] = [];
  const plan = {
    command: "sh",
    args: ["-c", command],
    env: {},
    workdir: ".",
    stdin: "",
    timeoutSec: 120,
    idleTimeoutSec: 0,
  };
  // The commands are `node` and what every system has; nothing of our own environment is needed.
  const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };
  const { exitCode } = await runProcess(plan, {
    cwd,
    env,
    signal,
    onLine: ({ line }) => void lines.push(line),
  });
  return {
    type: "command",
    command,
    exit_code: exitCode ?? 1,
    output: lines.join("\n").slice(-OUTPUT_TAIL),
  };
}

/** A limit is met once in a project; a marker beside the notes remembers it over processes. */
function isLimited({ run, task, cwd }: Performance): boolean {
  if (run.rate_limit_sec === undefined) return false;
  const marker = join(cwd, ".agent-runner", `demo-limit-${task?.variables["slug"] ?? "inline"}`);
  try {
    mkdirSync(dirname(marker), { recursive: true });
    writeFileSync(marker, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function refuse({ run, delayFactor, print }: Performance): number {
  const until = Date.now() + (run.rate_limit_sec ?? 0) * 1_000 * delayFactor;
  print({
    type: "result",
    ok: false,
    summary: "rate limited (scripted)",
    failure: "rate_limited",
    retry_at: new Date(until).toISOString(),
  });
  return 1;
}

function inside(root: string, path: string): string {
  const target = resolve(root, path);
  const way = relative(root, target);
  if (way !== "" && !way.startsWith("..") && !isAbsolute(way)) return target;
  throw new MultiverseError(
    "INVALID_INPUT",
    `the demo script names a file outside the project: ${path}`,
    {
      hint: "File names in a script are relative to the project.",
    },
  );
}
