import type { Readable } from "node:stream";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Env } from "../task-file/env-references.ts";
import { readOptions } from "./options.ts";
import type { CliOptions } from "./options.ts";
import { openReporter } from "./reporter.ts";
import type { Reporter, Terminal } from "./reporter.ts";
import { sayError } from "./say-error.ts";
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
}

export interface Command {
  readonly host: Process;
  readonly options: CliOptions;
  readonly signals: Signals;
  readonly reporter: Reporter;
  /** Given by whoever started us, else new. */
  readonly traceId: () => Promise<string>;
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
    if (host.args.includes("--json")) return refuseArguments(host, error);
    host.stderr.write(sayError(error));
    return 1;
  }
}

/** A program that reads our events gets its `finished` even where the other arguments make no sense. */
async function refuseArguments(host: Process, error: MultiverseError): Promise<number> {
  const { stdout, stderr, env } = host;
  const reporter = openReporter({
    json: true,
    colours: false,
    eventsPath: undefined,
    stdout,
    stderr,
  });
  const signals = { signal: new AbortController().signal, exitCode: () => null, release: () => {} };
  const command = { host, options: readOptions(["--json"]), signals, reporter };
  const { refuse } = await import("./refuse.ts");
  return refuse({ ...command, traceId: traceIdFrom(env) }, error);
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
  const command: Command = { host, options, signals, reporter, traceId: traceIdFrom(host.env) };
  try {
    return await work(command);
  } finally {
    reporter.close();
    signals.release();
  }
}

/** Random numbers are loaded only where one is needed: they take longer than a dry run has. */
function traceIdFrom(env: Env): () => Promise<string> {
  let id = env.MULTIVERSE_TRACE_ID || null;
  return async () => (id ??= (await import("node:crypto")).randomUUID());
}

async function work(command: Command): Promise<number> {
  const { loadTask } = await import("./load-task.ts");
  try {
    const loaded = await loadTask(command);
    if (command.options.dryRun) return await (await import("./dry-run.ts")).dryRun(command, loaded);
    return await (await import("./session.ts")).runSession(command, loaded);
  } catch (error) {
    const isForeseen = error instanceof MultiverseError && error.code !== "CANCELED";
    const isCanceled = command.signals.signal.aborted && !isForeseen;
    return (await import("./refuse.ts")).refuse(command, isCanceled ? null : error);
  }
}
