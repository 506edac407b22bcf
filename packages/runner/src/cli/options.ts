import { parseArgs } from "node:util";
import type { LogFormat, LogLevel } from "@multiverse/agents/log";
import { MultiverseError } from "@multiverse/protocol/error";

export interface CliOptions {
  readonly metaModel: string | undefined;
  readonly taskPath: string | undefined;
  readonly json: boolean;
  readonly eventsPath: string | undefined;
  readonly resultPath: string | undefined;
  readonly recordPath: string | undefined;
  readonly replayPath: string | undefined;
  readonly dryRun: boolean;
  readonly logLevel: LogLevel | undefined;
  readonly logFormat: LogFormat | undefined;
  readonly version: boolean;
  readonly help: boolean;
}

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const LEVELS = ["debug", "info", "warn", "error"] as const;
const FORMATS = ["text", "json"] as const;

export function readOptions(args: readonly string[]): CliOptions {
  const { values } = parse(args);
  return {
    metaModel: notEmpty("--meta-model", values["meta-model"]),
    taskPath: notEmpty("--task", values.task),
    json: values.json,
    eventsPath: notEmpty("--events", values.events),
    resultPath: notEmpty("--result", values.result),
    recordPath: notEmpty("--record", values.record),
    replayPath: notEmpty("--replay", values.replay),
    dryRun: values["dry-run"],
    logLevel: oneOf("--log-level", LEVELS, values["log-level"]),
    logFormat: oneOf("--log-format", FORMATS, values["log-format"]),
    version: values.version,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        "meta-model": text,
        task: text,
        json: flag,
        events: text,
        result: text,
        record: text,
        replay: text,
        "dry-run": flag,
        "log-level": text,
        "log-format": text,
        version: { ...flag, short: "V" },
        help: { ...flag, short: "h" },
      },
    });
  } catch (error) {
    throw misuse(error instanceof Error ? error.message : String(error));
  }
}

function notEmpty(name: string, value: string | undefined): string | undefined {
  if (value === "") throw misuse(`${name} needs a value`);
  return value;
}

function oneOf<T extends string>(
  name: string,
  choices: readonly T[],
  value: string | undefined,
): T | undefined {
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined)
    throw misuse(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(value)}`);
  return choice;
}

const misuse = (message: string): MultiverseError =>
  new MultiverseError("INVALID_INPUT", message, {
    hint: "`agent-runner --help` lists the options.",
  });
