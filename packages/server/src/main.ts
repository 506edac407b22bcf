import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createLogger, LOG_LEVELS, type Logger, type LogLevel } from "@multiverse/agents/log";
import { createMask, secretsOf } from "@multiverse/agents/secrets";
import { errorBody } from "@multiverse/protocol/error";
import { openLinePrompt } from "./cli/live/line-prompt.ts";
import { runProgram } from "./cli/program.ts";
import type { Terminal } from "./cli/terminal.ts";
import { homeAt } from "./home.ts";
import manifest from "../package.json" with { type: "json" };

/** The only place that reads the environment and the process: from here on both are data. */
const env = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
const homeFolder = env["HOME"] ?? homedir();
const dist = dirname(fileURLToPath(import.meta.url));
const isTerminal = process.stdout.isTTY === true;

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal,
  colours: isTerminal && !env["NO_COLOR"],
  get columns() {
    return isTerminal ? process.stdout.columns || 80 : Infinity;
  },
  get rows() {
    return process.stdout.rows || 24;
  },
};
const mask = createMask(secretsOf(env));
const asked = LOG_LEVELS.find((level) => level === env["MULTIVERSE_LOG_LEVEL"]);
const logAt = (level: LogLevel): Logger =>
  createLogger({
    level: asked ?? level,
    format: process.stderr.isTTY ? "text" : "json",
    write: terminal.err,
    mask,
  });
const log = logAt("info");

const main = (): Promise<number> =>
  runProgram(process.argv.slice(2), {
    // A relative one would mean another folder to every process we start elsewhere.
    home: homeAt(resolve(env["MULTIVERSE_HOME"] || join(homeFolder, ".multiverse"))),
    environment: { env, homeFolder, path: env["PATH"] ?? "" },
    version: manifest.version,
    cwd: process.cwd(),
    log,
    quietLog: logAt("warn"),
    mask,
    terminal,
    runnerPath: join(dist, "agent-runner.mjs"),
    webRoot: join(dist, "web"),
    onStop(listener) {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, listener);
    },
    prompt:
      process.stdin.isTTY && isTerminal
        ? (listeners) =>
            openLinePrompt({ input: process.stdin, output: process.stdout, ...listeners })
        : null,
    exit: (code) => process.exit(code),
  });

// A reader that goes away (`multiverse logs | head`) is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

main().then(
  (code) => {
    process.exitCode = code;
    // Keep-alive sockets and timers of a stopped server must not hold the process.
    setImmediate(() => process.exit(code));
  },
  (error: unknown) => {
    const { message, hint } = errorBody(error).error;
    terminal.err(`error: ${message}\n${hint}\n`);
    log.error("start failed", { error });
    process.exit(1);
  },
);
