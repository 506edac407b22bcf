import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { makePlace, serveDemo, type Place, type Started } from "../server/program.ts";
import {
  builtWeb,
  expectClean,
  picture,
  say,
  signIn,
  statuses,
  taskRows,
  type IdePage,
  soon,
} from "./ide-page.ts";

const chromium = findChromium();
const GOLDEN = "TODO アプリを作成して";

describe.skipIf(skipWithout(chromium, "browser tests"))("the whole product in a browser", () => {
  let browser: Browser;
  let place: Place;
  let server: Started;
  let ide: IdePage;

  beforeAll(async () => {
    await builtWeb();
    browser = await present(chromium).launch();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    place = await makePlace();
    server = await serveDemo(place);
    ide = await signIn(browser, /http:\S+/.exec(server.output())?.[0] ?? "");
  });
  afterEach(async () => {
    await ide.close();
    server.child.kill("SIGKILL");
    await server.exit;
    await place.remove();
  });

  async function allDone(count: number): Promise<void> {
    await expect
      .poll(() => statuses(ide.page), { timeout: 90_000 })
      .toEqual(Array.from({ length: count }, () => "Succeeded"));
  }

  test(
    "GT-3: one sentence becomes a finished, checked TODO app",
    { timeout: 150_000 },
    async () => {
      const { page } = ide;
      await say(page, GOLDEN);
      await expect.poll(() => taskRows(page).count(), { timeout: 30_000 }).toBe(6);
      await soon(() => page.locator(".svelte-flow__node-task").count()).toBe(6);

      await page.getByRole("button", { name: "はい、ファイルに保存する" }).first().click();
      await allDone(6);
      await soon(() => page.title()).toMatch(/^✓ 6\/6/);
      await picture(page, "golden");

      await taskRows(page).nth(1).click();
      const panel = page.getByRole("tabpanel", { name: "Task", exact: true });
      await soon(() => panel.getByText("Result").isVisible()).toBe(true);
      expect(await panel.getByText("node --test").first().isVisible()).toBe(true);
      expect(await panel.getByLabel("passed").count()).toBeGreaterThan(1);

      await panel.getByRole("tab", { name: /Changes/ }).click();
      await panel.getByText("src/todo.mjs").first().waitFor();
      expect(await readFile(join(place.project, "src/todo.mjs"), "utf8")).toContain("export");
      await panel.getByRole("tab", { name: "Note" }).click();
      await panel.locator(".markdown h1, .markdown h2").first().waitFor();
      await expectClean(ide);
    },
  );

  test(
    "the plan is edited by chat and by hand, stopped, resumed and undone",
    { timeout: 150_000 },
    async () => {
      const { page } = ide;
      await say(page, GOLDEN);
      await expect.poll(() => taskRows(page).count(), { timeout: 30_000 }).toBe(6);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      await page.getByText("idle", { exact: true }).waitFor();
      await soon(async () => (await statuses(page)).includes("Running")).toBe(false);

      await taskRows(page).last().click();
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByLabel("Title").fill("Read it all again");
      await page.getByRole("button", { name: "Save" }).click();
      await soon(() => taskRows(page).last().textContent()).toContain("Read it all again");

      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await soon(() => taskRows(page).count()).toBe(5);
      await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
      await soon(() => taskRows(page).count()).toBe(6);

      await page.getByRole("button", { name: "Start", exact: true }).click();
      // The question has an answer of its own: where all this took long, it was given already.
      const decide = page.getByRole("button", { name: "Decide for me" }).first();
      const answered = page.locator(".question .answered").first();
      await decide.or(answered).first().waitFor();
      await Promise.race([decide.click(), answered.waitFor()]);
      await allDone(6);

      await page.getByRole("tab", { name: "History" }).click();
      await page.getByRole("button", { name: "Take a snapshot" }).click();
      await page.getByText("Snapshot taken.").waitFor();
      await say(page, "Write a haiku about rivers");
      await expect.poll(() => taskRows(page).count(), { timeout: 30_000 }).toBeGreaterThan(6);
      await page.getByRole("tab", { name: "History" }).click();
      await page.getByRole("button", { name: "Restore", exact: true }).last().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: /Restore/ }).click();
      const force = dialog.getByRole("button", { name: "Stop and restore" });
      const refused = await Promise.race([
        force.waitFor().then(() => true),
        dialog.waitFor({ state: "hidden" }).then(() => false),
      ]);
      if (refused) await force.click();
      await expect.poll(() => taskRows(page).count(), { timeout: 20_000 }).toBe(6);
      await expectClean(ide);
    },
  );

  test("history can be walked back and forth", { timeout: 120_000 }, async () => {
    const { page } = ide;
    await say(page, GOLDEN);
    await expect.poll(() => taskRows(page).count(), { timeout: 30_000 }).toBe(6);
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("slider", { name: "Point in history" }).focus();
    await page.keyboard.press("Home");
    await page.getByText("as it was at fact #1.").waitFor();
    await soon(() => taskRows(page).count()).toBe(0);
    await page.keyboard.press("Escape");
    await soon(() => taskRows(page).count()).toBe(6);
    await expectClean(ide);
  });
});
