import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { settled } from "./ide-page.ts";
import { serveFolder, type ServedFolder } from "./serve-folder.ts";

/** Every screen in every look; the pictures are in test-results/screens, to be looked at. */
const chromium = findChromium();
const results = fileURLToPath(new URL("../../test-results/screens/", import.meta.url));

const SCREENS = [
  "welcome login screen screen-empty screen-inbox screen-activity screen-past screen-palette screen-help",
  "screen-settings screen-odd screen-plan screen-log",
]
  .join(" ")
  .split(" ");
const LOOKS = ["dark", "light"].flatMap((theme) =>
  ["en", "ja"].flatMap((lang) => [1440, 390].map((width) => ({ theme, lang, width }))),
);

/** Words that are cut off at the edge of the window, or controls that lie outside of it. */
const OUTSIDE = `[...document.querySelectorAll("button, input, h1, h2, h3")]
  .filter((e) => e.checkVisibility() && !e.closest(".svelte-flow, .viewport, .tabs, .visually-hidden"))
  .filter((e) => { const box = e.getBoundingClientRect(); return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1); })
  .map((e) => e.outerHTML.slice(0, 120))`;

describe.skipIf(skipWithout(chromium, "browser tests"))("every screen in every look", () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  let served: ServedFolder;
  const errors: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "multiverse-screens-"));
    await mkdir(results, { recursive: true });
    const configFile = fileURLToPath(
      new URL("../../packages/web/stories/vite.config.ts", import.meta.url),
    );
    await build({ configFile, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
    served = await serveFolder(folder);
    browser = await present(chromium).launch();
    page = await browser.newPage({ reducedMotion: "reduce", timezoneId: "UTC" });
    page.on("pageerror", (error) => errors.push(error.message));
    await page.clock.setFixedTime(new Date("2026-01-05T10:01:30.000Z"));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { theme, lang, width } of LOOKS)
    test(`fits its window: ${theme}, ${lang}, ${width} px`, { timeout: 90_000 }, async () => {
      await page.setViewportSize({ width, height: width < 900 ? 844 : 900 });
      for (const screen of SCREENS) {
        await page.goto(`${served.url}/?story=${screen}&theme=${theme}&lang=${lang}`);
        await page.locator(`[data-story="${screen}"]`).waitFor();
        await settled(page);
        await page.screenshot({ path: join(results, `${screen}-${theme}-${lang}-${width}.png`) });
        expect([screen, await page.evaluate<string[]>(OUTSIDE)]).toEqual([screen, []]);
        expect([
          screen,
          await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
        ]).toEqual([screen, 0]);
      }
      expect(errors).toEqual([]);
    });
});
