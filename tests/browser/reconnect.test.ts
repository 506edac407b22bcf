import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { makePlace, readServerJson, serveDemo, type Started } from "../server/program.ts";
import { builtWeb, expectClean, say, signIn, statuses, taskRows, soon } from "./ide-page.ts";

const chromium = findChromium();

async function kill(server: Started): Promise<void> {
  server.child.kill("SIGKILL");
  await server.exit;
}

describe.skipIf(skipWithout(chromium, "browser tests"))("a server that dies", () => {
  let browser: Browser;
  beforeAll(async () => {
    await builtWeb();
    browser = await present(chromium).launch();
  });
  afterAll(() => browser.close());

  test(
    "is noticed, waited for and found again, with nothing lost or doubled",
    { timeout: 150_000 },
    async () => {
      const place = await makePlace();
      let server = await serveDemo(place);
      const ide = await signIn(browser, /http:\S+/.exec(server.output())?.[0] ?? "");
      const { page } = ide;
      try {
        await say(page, "TODO アプリを作成して");
        await expect.poll(() => taskRows(page).count(), { timeout: 30_000 }).toBe(6);
        const { url } = await readServerJson(place);

        await kill(server);
        await page.getByText("The connection to the server is lost.").waitFor();
        await say(page, "are you there?");
        await page.getByText("The server could not be reached.").waitFor();

        server = await serveDemo(place, ["--port", new URL(url).port]);
        await expect
          .poll(() => page.getByText("The connection to the server is lost.").isVisible(), {
            timeout: 15_000,
          })
          .toBe(false);
        await page.getByRole("button", { name: "Discard" }).click();
        await expect
          .poll(() => statuses(page), { timeout: 90_000 })
          .toEqual(Array.from({ length: 6 }, () => "Succeeded"));
        expect(await page.getByRole("article", { name: "you" }).count()).toBe(1);
        expect(await page.locator(".svelte-flow__node-task").count()).toBe(6);
        expect(await ide.violations()).toEqual([]);
        await page.reload();
        await soon(() => statuses(page)).toHaveLength(6);
        expect(await page.getByRole("article", { name: "you" }).count()).toBe(1);
      } finally {
        await ide.close();
        await kill(server);
        await place.remove();
      }
    },
  );

  test("a page that cannot log in says what to do", async () => {
    const place = await makePlace();
    const server = await serveDemo(place);
    const ide = await signIn(browser, /http:\S+/.exec(server.output())?.[0] ?? "");
    try {
      await ide.page.route("**/api/v1/**", (route) =>
        route.fulfill({
          status: 401,
          json: { error: { code: "UNAUTHORIZED", message: "no token", hint: "log in" } },
        }),
      );
      await ide.page.reload();
      await ide.page.getByText("Please log in again").waitFor();
      await expectClean(ide);
    } finally {
      await ide.close();
      await kill(server);
      await place.remove();
    }
  });
});
