import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";

const chromium = findChromium();

/** Everything a page can try against a server on the same machine, in a browser that is signed in there. */
const attack = (target: string, ws: string): string => `<!doctype html><title>evil</title>
<iframe src="${target}/"></iframe>
<script src="${target}/api/v1/workspaces"></script>
<script>
window.outcome = (async () => {
  const tried = {};
  const attempt = async (name, work) => {
    try { tried[name] = await work(); } catch (error) { tried[name] = "refused"; }
  };
  const json = { "content-type": "application/json" };
  await attempt("read", async () => (await fetch("${target}/api/v1/workspaces", { credentials: "include" })).status);
  await attempt("write", async () => (await fetch("${target}/api/v1${ws}/tasks", { method: "POST", credentials: "include", headers: json, body: '{"title":"evil"}' })).status);
  await attempt("blind write", async () => (await fetch("${target}/api/v1${ws}/tasks", { method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" }, body: '{"title":"evil"}' })).type);
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket("${target.replace("http", "ws")}/api/v1${ws}/events");
    socket.onopen = () => resolve("open");
    socket.onerror = reject;
  }));
  return tried;
})();
</script>`;

describe.skipIf(skipWithout(chromium, "tests of what other sites can do"))(
  "another site in the same browser",
  () => {
    let server: TestServer;
    let evil: Server;
    let evilUrl: string;
    beforeEach(async () => {
      const webRoot = fileURLToPath(new URL("../../dist/web", import.meta.url));
      server = await startTestServer({ webRoot });
      evil = createServer((_, response) => {
        response.setHeader("content-type", "text/html");
        response.end(attack(server.url, server.ws));
      });
      await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
      evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`;
    });
    afterEach(async () => {
      evil.closeAllConnections();
      evil.close();
      await server.stop();
    });

    test("can read nothing, change nothing, listen to nothing and frame nothing", async () => {
      const browser = await present(chromium).launch();
      try {
        const context = await browser.newContext();
        const own = await context.newPage();
        await own.goto(server.server.loginUrl());
        await own.waitForURL((url) => url.pathname === "/");
        await own.close();
        const page = await context.newPage();
        const before = server.stateText();
        const statuses = new Map<string, number>();
        page.on("response", (answer) => {
          if (answer.url().startsWith(server.url)) statuses.set(answer.url(), answer.status());
        });
        await page.goto(evilUrl);
        const outcome = await page.evaluate("window.outcome");
        expect(outcome).toEqual({
          read: "refused",
          write: "refused",
          "blind write": "refused",
          socket: "refused",
        });
        expect([...statuses.values()].filter((status) => status < 400)).toEqual([]);
        expect(server.stateText()).toBe(before);
        // All of it arrived, with the browser's own cookie, and was turned away.
        const metrics = await (await server.api("/metrics")).text();
        expect(metrics).toMatch(
          /multiverse_http_requests_total\{method="POST",status="403"\} [12]/,
        );
        expect(metrics).toMatch(
          /multiverse_http_requests_total\{method="GET",status="403"\} [2-9]/,
        );
        const framed = await page
          .frames()[1]
          ?.content()
          .catch(() => "");
        expect(framed ?? "").not.toContain("multiverse");
      } finally {
        await browser.close();
      }
    }, 60_000);
  },
);
