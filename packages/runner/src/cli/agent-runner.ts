import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { MultiverseError, errorBody } from "@multiverse/protocol/error";
import { createMask, secretsOf } from "@multiverse/agents/secrets";
import { startTimeOf } from "@multiverse/agents/process-group";
import type { Env } from "../task-file/env-references.ts";
import { readOptions } from "./options.ts";
import type { CliOptions } from "./options.ts";
import { openReporter } from "./reporter.ts";
import type { Reporter, Terminal } from "./reporter.ts";
import { catchSignals } from "./signals.ts";
import type { Signals } from "./signals.ts";

/** The process around us, as data. */
export interface Process {
  readonly args: readonly string[];
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly pid: number;
  readonly exit: (code: number) => void;
  readonly version: string;
  /** The program itself: the demo worker is started from it. */
  readonly programPath: string;
}

export interface Command {
  readonly host: Process;
  readonly options: CliOptions;
  readonly signals: Signals;
  readonly reporter: Reporter;
  readonly traceId: string;
}

/** agent-runner from its arguments to its exit code. */
export async function agentRunner(host: Process): Promise<number> {
  try {
    const options = readOptions(host.args);
    if (options.help) return await printHelp(host);
    if (options.version) {
      host.stdout.write(`${host.version}\n`);
      return 0;
    }
    return await runCommand(host, options);
  } catch (error) {
    if (!(error instanceof MultiverseError)) throw error;
    host.stderr.write(sayError(error));
    return 1;
  }
}

async function printHelp(host: Process): Promise<number> {
  host.stdout.write((await import("./help.ts")).HELP);
  return 0;
}

async function runCommand(host: Process, options: CliOptions): Promise<number> {
  const signals = catchSignals(host.exit);
  const reporter = openReporter({
    json: options.json,
    colours: host.stdout.isTerminal && !host.env.NO_COLOR,
    eventsPath: options.dryRun ? undefined : options.eventsPath,
    stdout: host.stdout,
    stderr: host.stderr,
  });
  const command: Command = {
    host,
    options,
    signals,
    reporter,
    traceId: host.env.MULTIVERSE_TRACE_ID || randomUUID(),
  };
  try {
    return await work(command);
  } finally {
    reporter.close();
    signals.release();
  }
}

async function work(command: Command): Promise<number> {
  const { loadTask } = await import("./load-task.ts");
  try {
    const loaded = await loadTask(command);
    if (command.options.dryRun) return (await import("./dry-run.ts")).dryRun(command, loaded);
    return await (await import("./session.ts")).runSession(command, loaded);
  } catch (error) {
    const isCanceled = command.signals.signal.aborted;
    if (!isCanceled && !(error instanceof MultiverseError)) throw error;
    return refuse(command, isCanceled ? null : error);
  }
}

/** The task never began: the error, `finished` and the result file; nothing else is written. */
async function refuse(
  { host, options, reporter, signals, traceId }: Command,
  error: unknown,
): Promise<number> {
  const { refusedResult } = await import("../result.ts");
  const { message, hint } = errorBody(error).error;
  const result =
    error === null
      ? refusedResult(
          "unknown",
          "canceled",
          "The run was canceled before the task was read.",
          "Run it again.",
        )
      : refusedResult(taskIdOf(error), "invalid_task", message, hint);
  const mask = createMask(secretsOf(host.env));
  const stamp = { traceId, taskId: result.taskId };
  const emit = (event: Parameters<Reporter["emit"]>[0]): void => {
    if (options.json || !options.dryRun) reporter.emit(event, new Date(), stamp, mask);
  };
  if (error !== null) host.stderr.write(mask.mask(sayError(error)));
  if (options.json || options.eventsPath !== undefined) {
    emit(processEvent(host.pid));
    if (error !== null) emit({ type: "log", level: "error", message, fields: { hint } });
    await (
      await import("./write-result.ts")
    ).writeResult(options.dryRun ? undefined : options.resultPath, result, mask);
    emit({ type: "finished", result });
  } else
    await (
      await import("./write-result.ts")
    ).writeResult(options.dryRun ? undefined : options.resultPath, result, mask);
  return signals.exitCode() ?? 1;
}

/** Says which process this is, so that a server that was started later can adopt the run. */
export const processEvent = (pid: number) =>
  ({
    type: "log",
    level: "info",
    message: "agent-runner started",
    fields: { pid, pid_start_time: startTimeOf(pid) ?? "" },
  }) as const;

const taskIdOf = (error: unknown): string =>
  error instanceof Error && "taskId" in error && typeof error.taskId === "string"
    ? error.taskId
    : "unknown";

export const sayError = (error: unknown): string => {
  const { message, hint } = errorBody(error).error;
  return `agent-runner: ${message}\n  ${hint}\n`;
};
