import { randomBytes } from "node:crypto";
import type { Logger } from "@multiverse/agents/log";

/** A finished piece of work, for whoever collects traces. Names and ids only: never content. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Sends spans to an OpenTelemetry collector (OTLP over HTTP, JSON). Off unless an endpoint is set. */
export interface Tracing {
  record(span: Span): void;
  close(): Promise<void>;
}

export const noTracing: Tracing = { record() {}, close: () => Promise.resolve() };

const BATCH_MS = 2_000;
const MOST_WAITING = 2_000;
const DEADLINE_MS = 5_000;

export function createTracing(endpoint: string | undefined, log: Logger): Tracing {
  if (!endpoint) return noTracing;
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  let waiting: Span[] = [];
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const headers = { "content-type": "application/json" };
      await fetch(url, { method: "POST", headers, body: JSON.stringify(otlp(batch)), signal });
      hasFailed = false;
    } catch (error) {
      // Said once: a collector that is away must not fill the log.
      if (!hasFailed) log.warn("traces could not be sent", { error });
      hasFailed = true;
    }
  }

  return {
    record(span) {
      if (waiting.length >= MOST_WAITING) return;
      waiting.push(span);
      timer ??= setTimeout(() => void flush(), BATCH_MS).unref();
    },
    close: flush,
  };
}

const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;

const otlp = (spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute("service.name", "multiverse")] },
      scopeSpans: [
        {
          scope: { name: "multiverse" },
          spans: spans.map((span) => ({
            traceId: span.traceId.replaceAll("-", "").padEnd(32, "0").slice(0, 32),
            spanId: randomBytes(8).toString("hex"),
            name: span.name,
            kind: 1,
            startTimeUnixNano: nanoseconds(span.startMs),
            endTimeUnixNano: nanoseconds(span.endMs),
            attributes: Object.entries(span.attributes).map(([key, value]) =>
              attribute(key, value),
            ),
            status: { code: span.failed ? 2 : 1 },
          })),
        },
      ],
    },
  ],
});

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
});
