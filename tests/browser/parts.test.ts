import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { builtWeb, signIn, soon, type IdePage } from "./ide-page.ts";

const chromium = findChromium();
const SETTINGS = "**/assets/SettingsDialog-*";
const heading = (page: Page) => page.getByRole("dialog").getByText("Theme");

describe.skipIf(skipWithout(chromium, "browser tests"))("a part that is fetched late", () => {
  let browser: Browser;
  let webRoot: string;
  let server: TestServer;
  let ide: IdePage;

  beforeAll(async () => {
    webRoot = await builtWeb();
    browser = await present(chromium).launch();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    server = await startTestServer({ webRoot });
  });
  afterEach(async () => {
    await ide.close();
    await server.stop();
  });

  const open = async (prepare: (context: BrowserContext) => Promise<unknown>): Promise<Page> => {
    ide = await signIn(browser, server.server.loginUrl(), {
      prepare: async (context) => void (await prepare(context)),
    });
    await ide.page.getByRole("button", { name: "Settings" }).click();
    return ide.page;
  };

  test("says that the server was replaced, and is there after a reload", async () => {
    let asked = 0;
    const page = await open((context) =>
      context.route(SETTINGS, async (route) => {
        asked += 1;
        await route.fulfill({ status: 404, body: "not found" });
      }),
    );
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByText("This part of the page is gone").waitFor();
    expect(asked).toBeGreaterThan(0);
    // The rest of the page works on.
    await page.keyboard.press("Escape");
    await page.locator("#composer").fill("hello");
    await page.getByRole("button", { name: "Settings" }).click();
    await ide.context.unroute(SETTINGS);
    await dialog.getByRole("button", { name: "Reload the page" }).click();
    await page.locator("header.toolbar").waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    await heading(page).waitFor();
    expect(await ide.violations()).toEqual([]);
  });

  test("waits for a server that is away, and comes by itself when it is back, in its looks", async () => {
    const away = (url: URL): boolean =>
      url.pathname === "/" || url.pathname.startsWith("/assets/SettingsDialog-");
    let asked = 0;
    const page = await open((context) =>
      context.route(away, async (route) => {
        // The page itself is there already; only what it asks for afterwards is not.
        if (route.request().isNavigationRequest()) return route.continue();
        asked += 1;
        return route.abort("connectionrefused");
      }),
    );
    await page.getByRole("dialog").getByText("The server does not answer").waitFor();
    expect(asked).toBeGreaterThan(1);
    await ide.context.unroute(away);
    await heading(page).waitFor();
    const display = 'getComputedStyle(document.querySelector(".look")).display';
    await soon(() => page.evaluate<string>(display)).toBe("flex");
    expect(await ide.violations()).toEqual([]);
  });
});
