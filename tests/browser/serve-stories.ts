import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { build } from "vite";
import { settled, soon } from "./ide-page.ts";
import { serveFolder, type ServedFolder } from "./serve-folder.ts";

const config = new URL("../../packages/web/stories/vite.config.ts", import.meta.url);

/** The moment the stories take place in: what they say about time stays the same. */
export const STORY_TIME = new Date("2026-01-05T10:01:30.000Z");

/** The stories of the components, built from the sources as they are now. */
export async function serveStories(): Promise<ServedFolder> {
  const folder = await mkdtemp(join(tmpdir(), "multiverse-stories-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await build({
      configFile: fileURLToPath(config),
      logLevel: "error",
      build: { outDir: folder, emptyOutDir: true },
    });
    const served = await serveFolder(folder);
    const close = async (): Promise<void> => {
      await served.close();
      await remove();
    };
    return { url: served.url, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

export interface StoryLook {
  readonly theme: string;
  readonly lang: string;
}

/** Something stands above the page, in its place. */
const OPENED = `[...document.querySelectorAll(".popup, .dialog")].some((e) => e.getBoundingClientRect().top > 0)`;

/** Shows one story and waits until all of it is there. */
export async function showStory(page: Page, url: string, story: string, look: StoryLook) {
  await page.goto(`${url}/?story=${story}&theme=${look.theme}&lang=${look.lang}`);
  const frame = page.locator(`[data-story="${story}"]`);
  await frame.waitFor();
  await settled(page);
  if ((await frame.getAttribute("data-opens")) === "true")
    await soon(() => page.evaluate<boolean>(OPENED)).toBe(true);
  return frame;
}
