import { createHash } from "node:crypto";
import type { Logger } from "@multiverse/agents/log";

/** A finished piece of work, for whoever collects traces. Names and ids only: never content. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  /** What it is a part of, nearest last; the last part is itself. The request that began the trace has none. */
  readonly path: readonly string[];
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

const noTracing: Tracing = { record() {}, close: () => Promise.resolve() };

const BATCH_MS = 2_000;
const MOST_WAITING = 2_000;
const DEADLINE_MS = 5_000;

/** The usual variables of OpenTelemetry, as far as they make sense here. */
export function createTracing(env: Readonly<Record<string, string>>, log: Logger): Tracing {
  const endpoint = env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  if (!endpoint) return noTracing;
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const service = env["OTEL_SERVICE_NAME"] || "multiverse";
  const headers = {
    ...headersOf(env["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""),
    "content-type": "application/json",
  };
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
      const body = JSON.stringify(otlp(service, batch));
      const answer = await fetch(url, { method: "POST", headers, body, signal });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
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

/** `name=value,name=value`, each value percent-encoded. What cannot be a header is left out: an error would quote it. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(",").flatMap((pair): [string, string][] => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, Math.max(0, at)).trim();
      const value = decodedOr(pair.slice(at + 1).trim());
      return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)
        ? [[name, value]]
        : [];
    }),
  );

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows from what the span stands for, so that a part can name the whole without having seen it. */
const spanIdOf = (traceId: string, path: readonly string[]): string =>
  createHash("sha256")
    .update([traceId, ...path].join("\0"))
    .digest("hex")
    .slice(0, 16);

const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;

const otlp = (service: string, spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute("service.name", service)] },
      scopeSpans: [
        {
          scope: { name: "multiverse" },
          spans: spans.map(otlpSpan),
        },
      ],
    },
  ],
});

const otlpSpan = (span: Span) => ({
  traceId: span.traceId.replaceAll("-", "").padEnd(32, "0").slice(0, 32),
  spanId: spanIdOf(span.traceId, span.path),
  ...(span.path.length === 0
    ? {}
    : { parentSpanId: spanIdOf(span.traceId, span.path.slice(0, -1)) }),
  name: span.name,
  kind: 1,
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: Object.entries(span.attributes).map(([key, value]) => attribute(key, value)),
  status: { code: span.failed ? 2 : 1 },
});

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
});
