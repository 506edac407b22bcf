import { expect, test } from "vitest";
import { z } from "zod";
import { createRequest } from "./http.ts";
import { isUnauthorized } from "./request-error.ts";

function answering(status: number, body: string) {
  const asked: { url: string; init: RequestInit }[] = [];
  const request = createRequest((url, init) => {
    asked.push({ url: typeof url === "string" ? url : "", init: init ?? {} });
    return Promise.resolve(new Response(body, { status }));
  });
  return { request, asked };
}
const Ok = z.object({ ok: z.boolean() });

test("a change says that it is JSON, and every request carries a trace", async () => {
  const { request, asked } = answering(200, '{"ok":true}');
  expect(await request("POST", "/x", Ok)).toEqual({ ok: true });
  const headers = new Headers(asked[0]?.init.headers);
  expect([asked[0]?.url, headers.get("content-type"), asked[0]?.init.body]).toEqual([
    "/api/v1/x",
    "application/json",
    "{}",
  ]);
  expect(headers.get("x-trace-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("a refusal speaks the server's words", async () => {
  const { request } = answering(
    409,
    '{"error":{"code":"CONFLICT","message":"Tasks are running.","hint":"Stop them first."}}',
  );
  await expect(request("POST", "/x", Ok)).rejects.toMatchObject({
    code: "CONFLICT",
    message: "Tasks are running.",
    hint: "Stop them first.",
    status: 409,
  });
});

test("an answer that is not ours is still a clear error", async () => {
  await expect(answering(502, "<html>").request("GET", "/x", Ok)).rejects.toMatchObject({
    code: "INTERNAL",
    status: 502,
  });
});

test("a server that is gone says what to check", async () => {
  const request = createRequest(() => Promise.reject(new TypeError("Failed to fetch")));
  await expect(request("GET", "/x", Ok)).rejects.toMatchObject({ code: "UNREACHABLE" });
});

test("a missing login is told apart", async () => {
  const { request } = answering(401, '{"error":{"code":"UNAUTHORIZED","message":"m","hint":"h"}}');
  expect(isUnauthorized(await request("GET", "/x", Ok).catch((error: unknown) => error))).toBe(
    true,
  );
});
