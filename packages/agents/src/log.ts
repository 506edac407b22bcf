import { toSnake } from "@multiverse/protocol/case";
import type { Mask } from "./secrets.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = "text" | "json";
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log of one process. Every line carries the trace id, and no line carries a secret. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  withComponent(name: string): Logger;
  withTraceId(traceId: string): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** One whole line, with its line end. */
  readonly write: (line: string) => void;
  readonly traceId?: string;
  readonly component?: string;
  readonly mask?: Mask;
  readonly now?: () => Date;
}

export function createLogger(options: LoggerOptions): Logger {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const log =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(level) < threshold) return;
      const at = (options.now ?? (() => new Date()))();
      const named = {
        ...(options.component === undefined ? {} : { component: options.component }),
        ...(options.traceId === undefined ? {} : { traceId: options.traceId }),
        ...fields,
      };
      const line = { at, level, message, fields: toSnake(plain(named)) };
      const text = options.format === "json" ? jsonLine(line) : textLine(line);
      options.write(`${options.mask ? options.mask.mask(text) : text}\n`);
    };
  return {
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    withComponent: (component) => createLogger({ ...options, component }),
    withTraceId: (traceId) => createLogger({ ...options, traceId }),
  };
}

/** For parts that are used without a log. */
export const silentLogger: Logger = createLogger({ level: "error", format: "text", write() {} });

interface Line {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

const jsonLine = ({ at, level, message, fields }: Line): string =>
  JSON.stringify({ time: at.toISOString(), level: level.toUpperCase(), message, ...fields });

function textLine({ at, level, message, fields }: Line): string {
  const time = at.toISOString().replace("T", " ").replace("Z", "");
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${word(value)}`);
  return [time, level.toUpperCase().padEnd(5), oneLine(message), ...pairs].join(" ");
}

/** A value as one word of a line: quoted where it has to be, so that no text can forge a second line. */
function word(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return text === "" || /[\s"=\p{Cc}]/u.test(text) ? oneLine(JSON.stringify(text)) : text;
}

/** Control characters spelled out: they could forge lines or drive a terminal. */
const oneLine = (text: string): string =>
  text.replace(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What JSON can hold: errors with their chain of causes, big and cyclic values without a surprise. */
function plain(fields: LogFields): Record<string, unknown> {
  const seen = new WeakSet();
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value) || depth > 8) return "[…]";
    seen.add(value);
    if (value instanceof Error) return walk(errorFields(value), depth + 1);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1));
    return Object.fromEntries(Object.entries(value).map(([k, each]) => [k, walk(each, depth + 1)]));
  };
  return Object.fromEntries(Object.entries(fields).map(([k, each]) => [k, walk(each, 0)]));
}

function errorFields(error: Error): Record<string, unknown> {
  const code = "code" in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: error.cause };
  return { name: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
