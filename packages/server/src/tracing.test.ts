import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@multiverse/agents/log";
import { expect, test } from "vitest";
import { createTracing, type Span } from "./tracing.ts";

const span: Span = {
  name: "attempt",
  traceId: "3f2b8c1e-0000-4000-8000-0123456789ab",
  path: ["att-1"],
  startMs: 1_000,
  endMs: 2_500,
  failed: false,
  attributes: { "multiverse.task_id": "task-1" },
};

test("spans reach a collector under the trace id of their work", async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      bodies.push(`${request.url} ${body}`);
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  try {
    const log = createLogger({ level: "error", format: "json", write() {} });
    const tracing = createTracing(
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/` },
      log,
    );
    tracing.record(span);
    await tracing.close();
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatch(/^\/v1\/traces /);
    expect(bodies[0]).toContain('"traceId":"3f2b8c1e0000400080000123456789ab"');
    expect(bodies[0]).toContain('"startTimeUnixNano":"1000000000"');
  } finally {
    collector.close();
  }
});

test("a collector that is away is mentioned once and costs nothing else", async () => {
  const lines: string[] = [];
  const log = createLogger({ level: "warn", format: "json", write: (line) => lines.push(line) });
  const tracing = createTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }, log);
  for (let i = 0; i < 3; i++) {
    tracing.record(span);
    await tracing.close();
  }
  expect(lines).toHaveLength(1);
});

test("a header that cannot be one is left out, and is not in the log either", async () => {
  const lines: string[] = [];
  const log = createLogger({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const tracing = createTracing(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary%0Avalue,bad name=canary,=canary,x",
    },
    log,
  );
  tracing.record(span);
  await tracing.close();
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toContain("canary");
});
