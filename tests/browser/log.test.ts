import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runResult } from "@multiverse/orchestrator/testing/fake-runs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { builtWeb, expectClean, signIn, soon } from "./ide-page.ts";

const chromium = findChromium();
const OLD = 9_000;

/** What an attempt printed, where the server keeps it. */
async function keepLog(server: TestServer, taskId: string, lines: readonly string[]) {
  const attempt = [...server.open.workspace.state.attempts.values()].find(
    (one) => one.taskId === taskId,
  );
  if (!attempt) throw new Error(`no attempt at ${taskId}`);
  const folder = join(server.open.workspace.dir, "logs/attempts");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${attempt.id}.log`), `${lines.join("\n")}\n`);
}

describe.skipIf(skipWithout(chromium, "browser tests"))("the log", () => {
  let browser: Browser;
  let server: TestServer;

  beforeAll(async () => {
    browser = await present(chromium).launch();
    server = await startTestServer({
      webRoot: await builtWeb(),
      script: ({ taskId }) => ({ result: runResult(taskId) }),
    });
    const operations = [
      { op: "create", title: "First", temp_id: "a" },
      { op: "create", title: "Second", dependencies: ["a"] },
    ];
    await server.post(`${server.ws}/plan`, { operations });
    await server.post(`${server.ws}/execution`, { action: "start" });
    const { workspace } = server.open;
    await vi.waitUntil(
      () => [...workspace.state.tasks.values()].every((task) => task.progress === "succeeded"),
      20_000,
    );
    const old = Array.from({ length: OLD }, (_, i) => `first ${i} ${"行".repeat(20)}`);
    await keepLog(server, "task-0001", old);
    await keepLog(server, "task-0002", ["second 0", "second 1"]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test(
    "what was printed before the page was opened is there, and the rest where one scrolls",
    { timeout: 60_000 },
    async () => {
      const ide = await signIn(browser, server.server.loginUrl());
      const { page } = ide;
      try {
        const rows = page.locator("#log .row");
        await soon(() => rows.last().textContent()).toContain("second 1");
        await soon(() => page.locator("#log").textContent()).toContain(`first ${OLD - 1} `);

        await page.getByRole("combobox", { name: "Show the log of" }).click();
        await page.getByRole("option", { name: "First" }).click();
        await soon(() => rows.last().textContent()).toContain(`first ${OLD - 1} `);
        const viewport = 'document.querySelector("#log .viewport")';
        await soon(async () => {
          await page.evaluate(`${viewport}.scrollTop = 0`);
          return rows.first().textContent();
        }).toContain("first 0 ");
        const height = await page.evaluate<number>(`${viewport}.scrollHeight`);
        expect(height).toBe(OLD * 20); // every line once
        await expectClean(ide);
      } finally {
        await ide.close();
      }
    },
  );
});
