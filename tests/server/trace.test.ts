import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

const traceId = "3f2b8c1e-aaaa-4000-8000-0123456789ab";

test("every answer names its trace id, and one that the caller brought is kept", async () => {
  const fresh = (await server.api("/workspaces")).headers.get("x-trace-id");
  expect(fresh).toMatch(/^[0-9a-f-]{36}$/);
  const brought = await server.api("/workspaces", { headers: { "x-trace-id": traceId } });
  expect(brought.headers.get("x-trace-id")).toBe(traceId);
  const forged = await server.api("/workspaces", { headers: { "x-trace-id": "x".repeat(36) } });
  expect(forged.headers.get("x-trace-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("the attempts that a request sets going carry its trace id", async () => {
  const { ws, post, api, open } = server;
  const created = await post(`${ws}/plan`, {
    operations: [
      { op: "create", temp_id: "a", title: "A" },
      { op: "create", temp_id: "b", title: "B", dependencies: ["a"] },
    ],
  });
  expect(created.status).toBe(200);
  const started = await api(`${ws}/execution`, {
    method: "POST",
    headers: { "x-trace-id": traceId },
    body: JSON.stringify({ action: "start" }),
  });
  expect(started.status).toBe(200);
  const { workspace } = open;
  await expect
    .poll(() => [...workspace.state.attempts.values()].map((attempt) => attempt.traceId))
    .toEqual([traceId, traceId]);
});
