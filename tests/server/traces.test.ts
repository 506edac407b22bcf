import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, makePlace, serveDemo, workspaceOf, type Place } from "./program.ts";

const Spans = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z.string().optional(),
              startTimeUnixNano: z.string().regex(/^\d+$/),
              endTimeUnixNano: z.string().regex(/^\d+$/),
            }),
          ),
        }),
      ),
    }),
  ),
});
type Span = z.output<typeof Spans>["resourceSpans"][number]["scopeSpans"][number]["spans"][number];

/** A collector as OpenTelemetry describes it, which keeps what it is sent. */
let collector: Server;
const spans: Span[] = [];
const asked: { url: string; headers: IncomingHttpHeaders }[] = [];
let place: Place;
beforeEach(async () => {
  collector = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      asked.push({ url: request.url ?? "", headers: request.headers });
      const { resourceSpans } = Spans.parse(JSON.parse(body));
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      response.setHeader("content-type", "application/json");
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  place = await makePlace({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue%20one,x-more=1",
  });
});
afterEach(async () => {
  collector.closeAllConnections();
  collector.close();
  await place.remove();
});

const TRACE = "3f2b8c1e-aaaa-4000-8000-0123456789ab";
const traceId = TRACE.replaceAll("-", "");

test("one trace leads from a request over its attempts to models, worker and tests", async () => {
  const server = await serveDemo(place);
  try {
    const client = await clientOf(place);
    const id = await workspaceOf(client);
    const sent = await fetch(`${client.url}/api/v1/workspaces/${id}/chat/s/messages`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${client.token}`,
        "content-type": "application/json",
        "x-trace-id": TRACE,
      },
      body: JSON.stringify({ text: "Say hello" }),
    });
    expect(sent.headers.get("x-trace-id")).toBe(TRACE);
    const statuses = async (): Promise<string[]> =>
      (await client.api.inWorkspace(id).tasks()).tasks.map(({ status }) => status);
    await expect
      .poll(async () => [...new Set(await statuses())], { timeout: 60_000, interval: 100 })
      .toEqual(["SUCCEEDED"]);
  } finally {
    server.child.kill("SIGTERM");
    await server.exit;
  }
  const own = spans.filter((span) => span.traceId === traceId);
  const root = own.find(({ name }) => name.startsWith("POST "));
  const attempts = own.filter(({ name }) => name === "attempt");
  expect(root?.parentSpanId).toBeUndefined();
  expect(attempts.length).toBeGreaterThan(0);
  expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId))).toEqual(
    new Set([root?.spanId]),
  );
  const inner = own.filter(({ name }) => /^(meta|worker) /.test(name));
  expect(inner.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["meta plan_task", "worker mock", "meta completion_assessment"]),
  );
  const known = new Set(attempts.map(({ spanId }) => spanId));
  expect(inner.filter(({ parentSpanId }) => !known.has(parentSpanId ?? ""))).toEqual([]);
  expect(new Set(own.map(({ spanId }) => spanId)).size).toBe(own.length);
  expect(asked[0]).toMatchObject({ url: "/v1/traces", headers: { "x-team": "blue one" } });
}, 120_000);
