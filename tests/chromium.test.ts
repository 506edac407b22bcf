import { describe, expect, test } from "vitest";
import { findChromium } from "./harness/chromium.ts";
import { present, skipWithout } from "./harness/skips.ts";

const chromium = findChromium();

describe.skipIf(skipWithout(chromium, "browser tests"))("Chromium", () => {
  test("shows a page and takes its picture", async () => {
    const browser = await present(chromium).launch();
    try {
      const page = await browser.newPage();
      await page.setContent("<title>hello</title><button>作成</button>");
      expect(await page.title()).toBe("hello");
      expect(await page.getByRole("button", { name: "作成" }).isVisible()).toBe(true);
      const png = await page.screenshot();
      expect(png.subarray(1, 4).toString()).toBe("PNG");
    } finally {
      await browser.close();
    }
  });
});
