import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { builtWeb, expectClean, signIn, taskRows } from "./ide-page.ts";

const chromium = findChromium();

const ATTACK = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> [click](javascript:document.title='owned') ![i](https://evil.example/leak.png) <a href="javascript:alert(1)" onclick="document.title='owned'">x</a>`;
const LONG = "とても長いタイトル".repeat(11) + "AVeryLongWordWithoutAnyBreak".repeat(4);
const RTL = "\u202eمرحبا بالعالم שלום עולם";
const EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈🇯🇵 emoji é̂̃";

describe.skipIf(skipWithout(chromium, "browser tests"))(
  "text from models, workers and repositories",
  () => {
    let browser: Browser;
    let server: TestServer;

    beforeAll(async () => {
      const webRoot = await builtWeb();
      browser = await present(chromium).launch();
      server = await startTestServer({
        webRoot,
        script: () => "hang",
        planPatch: async () => ({
          understanding: ATTACK,
          operations: [],
          potentialConflicts: [],
          questions: [{ text: ATTACK, options: [ATTACK.slice(0, 200)], blocking: false }],
        }),
      });
      const create = (title: string) => ({
        op: "create",
        title,
        description: ATTACK,
        acceptance_criteria: [ATTACK],
      });
      const answer = await server.post(`${server.ws}/plan`, {
        operations: [create(ATTACK.slice(0, 400)), create(LONG), create(RTL), create(EMOJI)],
      });
      if (answer.status !== 200) throw new Error(await answer.text());
    });
    afterAll(async () => {
      await browser.close();
      await server.stop();
    });

    test("stays text in titles, logs, chat and panels", { timeout: 60_000 }, async () => {
      const ide = await signIn(browser, server.server.loginUrl());
      const { page } = ide;
      try {
        await page.locator("#composer").fill(ATTACK);
        await page.locator("#composer").press("Enter");
        await page.getByRole("article", { name: "multiverse" }).waitFor();
        for (const line of [
          ATTACK,
          "\u001b]0;owned\u0007\u001b[2J\u001b[31mred",
          "\u001b]8;;http://evil.example\u0007link",
        ])
          server.open.feed.signal({
            signal: "task:log",
            data: {
              taskId: "task-0001",
              attemptId: "a",
              stream: "stdout",
              line,
              timestamp: new Date().toISOString(),
            },
          });
        await page.locator("#log").getByText("red").waitFor();
        await taskRows(page).first().click();
        await page.getByRole("tabpanel", { name: "Overview" }).waitFor();
        await page.getByRole("tab", { name: /Inbox/ }).click();
        await page.getByRole("article").first().waitFor();

        expect(await page.locator("#app img, #app script, #app iframe").count()).toBe(0);
        expect(
          await page
            .locator('#app a[href^="javascript" i], #app [onclick], #app [onerror]')
            .count(),
        ).toBe(0);
        expect(await page.title()).not.toContain("owned");
        expect(await page.locator("#log").textContent()).not.toContain("\u001b");
        await expectClean(ide);
      } finally {
        await ide.close();
      }
    });

    for (const width of [360, 900, 1440, 3840])
      test(`fits ${width} pixels, whatever the titles`, { timeout: 60_000 }, async () => {
        const ide = await signIn(browser, server.server.loginUrl(), {
          width,
          height: 800,
          language: "ja",
        });
        const { page } = ide;
        try {
          for (const tab of width < 900
            ? ["計画", "タスク", "ログ", "受信箱", "チャット"]
            : ["タスク"]) {
            await page.getByRole("tab", { name: tab }).first().click();
            if (tab === "計画") await taskRows(page).nth(1).waitFor();
            const wide = await page.evaluate<number>(
              "document.documentElement.scrollWidth - innerWidth",
            );
            expect([tab, wide]).toEqual([tab, 0]);
          }
          await expectClean(ide);
        } finally {
          await ide.close();
        }
      });
  },
);
