import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { difference, type Difference } from "./compare-pictures.ts";
import type { ServedFolder } from "./serve-folder.ts";
import { serveStories, showStory, STORY_TIME } from "./serve-stories.ts";

/**
 * Every component in its states, compared with the pictures kept here. `UPDATE_PICTURES=1` takes new ones; look at them
 * before they are committed.
 */
const chromium = findChromium();
const pictures = fileURLToPath(new URL("pictures/", import.meta.url));
const update = process.env["UPDATE_PICTURES"] === "1";
/** Text is drawn a little differently by each version; a panel that moved or lost its colour differs by far more. */
const TOLERANCE: Difference = { whole: 0.025, worst: 0.04 };
const isSame = ({ whole, worst }: Difference): boolean =>
  whole <= TOLERANCE.whole && worst <= TOLERANCE.worst;

const SCREENS: readonly (readonly [story: string, theme: string, lang: string])[] = [
  ...[
    "primitives toolbar-empty toolbar-busy banner-lost facets plan plan-filtered plan-empty graph graph-empty",
    "graph-large chat chat-empty task-none task-summary task-succeeded task-failed task-blocked log log-empty inbox",
    "inbox-empty activity history settings-look settings-general settings-llm settings-tooling welcome fields toasts task-parts",
    "facets-open select-open menu-open resolve-failure resolve-question delete task-done part-missing login screen",
  ]
    .join(" ")
    .split(" ")
    .map((story) => [story, "dark", "en"] as const),
  ["primitives", "light", "en"],
  ["fields", "light", "en"],
  ["screen", "light", "ja"],
];

describe.skipIf(skipWithout(chromium, "browser tests"))("the look of every component", () => {
  let browser: Browser;
  let page: Page;
  let served: ServedFolder;

  beforeAll(async () => {
    served = await serveStories();
    browser = await present(chromium).launch();
    page = await browser.newPage({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      timezoneId: "UTC",
    });
    await page.clock.setFixedTime(STORY_TIME);
    if (update) {
      await mkdir(pictures, { recursive: true });
      await writeFile(join(pictures, "browser.json"), `{ "chromium": "${browser.version()}" }\n`);
    }
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  async function take(story: string, theme: string, lang: string): Promise<Buffer> {
    const frame = await showStory(page, served.url, story, { theme, lang });
    const dialog = page.getByRole("dialog").and(page.locator(".dialog"));
    const shown = (await dialog.count()) > 0 ? dialog : frame;
    return shown.screenshot({ animations: "disabled", caret: "hide" });
  }

  for (const [story, theme, lang] of SCREENS)
    test(`${story}, ${theme}, ${lang}`, async () => {
      const file = join(pictures, `${story}-${theme}-${lang}.png`);
      const taken = await take(story, theme, lang);
      if (update) await writeFile(file, taken);
      const found = await difference(page, taken, await readFile(file));
      expect(isSame(found), JSON.stringify(found)).toBe(true);
    });

  for (const [what, story, style] of [
    ["rows that moved", "plan", ".row { padding-inline-start: 90px !important; }"],
    ["a button that is gone", "toolbar-busy", ".execution { display: none !important; }"],
    ["a title without its colour", "task-failed", ".badge { color: transparent !important; }"],
  ] as const)
    test(`a broken layout is noticed: ${what}`, async () => {
      const kept = await readFile(join(pictures, `${story}-dark-en.png`));
      await take(story, "dark", "en");
      await page.addStyleTag({ content: style });
      const broken = await page.locator(`[data-story="${story}"]`).screenshot();
      const found = await difference(page, broken, kept);
      expect(isSame(found), JSON.stringify(found)).toBe(false);
    });
});
