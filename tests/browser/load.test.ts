import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { builtWeb, expectClean, signIn, soon, taskRows, type IdePage } from "./ide-page.ts";

/** How much the page can take. How fast it is while it does so is measured by `npm run bench`, never asserted here. */
const chromium = findChromium();
const LINES = 20_000;

const logRows = (page: Page): Locator => page.locator("#log .row");
const nodes = (page: Page): Promise<number> =>
  page.evaluate<number>("document.querySelectorAll('*').length");

describe.skipIf(skipWithout(chromium, "browser tests"))("under load", { timeout: 90_000 }, () => {
  let browser: Browser;
  let webRoot: string;
  let server: TestServer;
  let ide: IdePage;

  async function serve(tasks: number): Promise<void> {
    server = await startTestServer({ webRoot, script: () => "hang" });
    const operations = Array.from({ length: tasks }, (_, i) => ({
      op: "create",
      temp_id: `t${i}`,
      title: `Task ${i}`,
      milestone: `M${Math.floor((i * 8) / tasks)}`,
      dependencies: i === 0 ? [] : [`t${Math.max(0, i - 1 - ((i * 7) % 40))}`],
    }));
    expect((await server.post(`${server.ws}/plan`, { operations })).status).toBe(200);
    ide = await signIn(browser, server.server.loginUrl());
  }
  async function stop(): Promise<void> {
    await ide.close();
    await server.stop();
  }

  beforeAll(async () => {
    webRoot = await builtWeb();
    browser = await present(chromium).launch();
  }, 120_000);
  afterAll(() => browser.close());

  function say(line: string, task = 1): void {
    server.open.feed.signal({
      signal: "task:log",
      data: {
        taskId: `task-000${task}`,
        attemptId: "a",
        stream: "stdout",
        line,
        timestamp: "2026-01-05T10:00:00.000Z",
      },
    });
  }

  test("a flood of log lines stays bounded, and is followed, paused and searched", async () => {
    await serve(5);
    try {
      const { page } = ide;
      const before = await nodes(page);
      for (let i = 0; i < LINES; i += 500) {
        for (let k = 0; k < 500; k++) say(`\u001b[32mline\u001b[0m ${i + k}`, 1 + (k % 5));
        await page.evaluate("new Promise(requestAnimationFrame)"); // the page keeps its pace
      }
      const last = logRows(page).last();
      // A reader that fell behind lost lines, as it may; what comes afterwards is there again.
      await soon(() => {
        say("after the flood");
        return last.textContent();
      }).toContain("after the flood");
      expect(await logRows(page).count()).toBeLessThan(120);
      expect((await nodes(page)) - before).toBeLessThan(2_000);
      const height = await page.evaluate<number>(
        'document.querySelector("#log .viewport").scrollHeight',
      );
      expect(height).toBeLessThanOrEqual(5_001 * 20); // the lines in memory, one row each

      await page.evaluate('document.querySelector("#log .viewport").scrollTop -= 400');
      await page.getByRole("button", { name: "Follow" }).first().waitFor();
      const read = await logRows(page).nth(14).textContent();
      await soon(() => {
        say("while reading");
        return page.getByText(/new line/).isVisible();
      }).toBe(true);
      expect(await logRows(page).nth(14).textContent()).toBe(read);
      await page.locator("#log-search").fill("AFTER the flood");
      await soon(() => page.locator("#log mark").first().textContent()).toBe("after the flood");
      await expectClean(ide);
    } finally {
      await stop();
    }
  });

  test("of 1,000 tasks only those in view are elements, and a drawn plan shows the rest", async () => {
    await serve(1_000);
    try {
      const { page } = ide;
      const cards = page.locator(".svelte-flow__node-task");
      await cards.first().waitFor();
      expect(await cards.count()).toBeLessThan(200);
      expect(await taskRows(page).count()).toBeLessThan(60);
      await page.locator("#graph").press("0");
      await soon(() => cards.count()).toBe(0);
      await page.locator("#graph canvas").first().waitFor();
      await expectClean(ide);
    } finally {
      await stop();
    }
  });

  test("no fact of many is lost on the way to the page", async () => {
    await serve(50);
    try {
      const { page } = ide;
      await taskRows(page).first().click();
      for (let i = 0; i < 200; i++) {
        const operations = [{ op: "update", task_id: "task-0001", title: `Title ${i}` }];
        expect((await server.post(`${server.ws}/plan`, { operations })).status).toBe(200);
      }
      await page.locator("#side h2").getByText("Title 199", { exact: true }).waitFor();
      await page.getByRole("tab", { name: "History" }).click();
      const slider = page.getByRole("slider", { name: "Point in history" });
      await soon(() => slider.getAttribute("max")).toBe(String(server.open.workspace.state.seq));
      await expectClean(ide);
    } finally {
      await stop();
    }
  });

  test("5,000 tasks are filtered, found and opened", async () => {
    await serve(5_000);
    try {
      const { page } = ide;
      await page.locator(".svelte-flow__node-task").first().waitFor();
      await page.locator("#filter").fill("Task 4321");
      await soon(() => taskRows(page).count()).toBe(2); // by its title, and another by its id
      await taskRows(page).getByText("Task 4321").click();
      await page.locator("#side h2").getByText("Task 4321").waitFor();
      await page.locator("#graph").press("0");
      await page.locator("#graph canvas").first().waitFor();
      await expectClean(ide);
    } finally {
      await stop();
    }
  });
});
