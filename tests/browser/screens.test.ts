import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import type { ServedFolder } from "./serve-folder.ts";
import { serveStories, showStory, STORY_TIME } from "./serve-stories.ts";

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
  let served: ServedFolder;
  const errors: string[] = [];

  beforeAll(async () => {
    await mkdir(results, { recursive: true });
    served = await serveStories();
    browser = await present(chromium).launch();
    page = await browser.newPage({ reducedMotion: "reduce", timezoneId: "UTC" });
    page.on("pageerror", (error) => errors.push(error.message));
    await page.clock.setFixedTime(STORY_TIME);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  for (const { theme, lang, width } of LOOKS)
    test(`fits its window: ${theme}, ${lang}, ${width} px`, { timeout: 90_000 }, async () => {
      await page.setViewportSize({ width, height: width < 900 ? 844 : 900 });
      for (const screen of SCREENS) {
        await showStory(page, served.url, screen, { theme, lang });
        await page.screenshot({ path: join(results, `${screen}-${theme}-${lang}-${width}.png`) });
        // A page that has just opened may still be finding its place.
        await expect
          .poll(async () => [screen, await page.evaluate<string[]>(OUTSIDE)])
          .toEqual([screen, []]);
        expect([
          screen,
          await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
        ]).toEqual([screen, 0]);
      }
      expect(errors).toEqual([]);
    });
});
