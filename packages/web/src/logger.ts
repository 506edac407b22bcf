export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogEntry {
  readonly level: LogLevel;
  readonly component: string;
  readonly traceId: string | null;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What the loggers of one page have in common: how much is said, where it goes, and the trace it belongs to. */
interface Shared {
  level: LogLevel;
  traceId: string | null;
  readonly write: (entry: LogEntry) => void;
}

/** The page's own log, with the same levels and trace ids as the server's, so that both can be read side by side. */
export class Logger {
  readonly #shared: Shared;
  readonly #component: string;

  constructor(shared: Shared, component = "web") {
    this.#shared = shared;
    this.#component = component;
  }

  setLevel(level: LogLevel): void {
    this.#shared.level = level;
  }

  setTraceId(traceId: string | null): void {
    this.#shared.traceId = traceId;
  }

  withComponent(component: string): Logger {
    return new Logger(this.#shared, component);
  }

  debug = (message: string, fields = {}): void => this.#log("debug", message, fields);
  info = (message: string, fields = {}): void => this.#log("info", message, fields);
  warn = (message: string, fields = {}): void => this.#log("warn", message, fields);
  error = (message: string, fields = {}): void => this.#log("error", message, fields);

  #log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#shared.level)) return;
    const { traceId } = this.#shared;
    this.#shared.write({ level, component: this.#component, traceId, message, fields });
  }
}

const toConsole = ({ level, component, traceId, message, fields }: LogEntry): void =>
  console[level](`[${component}] ${message}`, ...(traceId ? [{ traceId, ...fields }] : [fields]));

/** The logger of this page. */
export const logger = new Logger({ level: "warn", traceId: null, write: toConsole });
