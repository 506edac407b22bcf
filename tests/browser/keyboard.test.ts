import { failedResult, runResult } from "@multiverse/orchestrator/testing/fake-runs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { makePlace, serveDemo } from "../server/program.ts";
import { startTestServer } from "../server/test-server.ts";
import {
  builtWeb,
  expectClean,
  fromPalette,
  signIn,
  statuses,
  taskRows,
  soon,
} from "./ide-page.ts";

const chromium = findChromium();

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function palette(page: Page, query: string): Promise<void> {
  await fromPalette(page, query);
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

/** Tab until the focus is on a control of this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 80; i++) {
    const focused = await page.evaluate<string>(
      "(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()",
    );
    if (name.test(focused)) return;
    await press(page, "Tab");
  }
  throw new Error(`no control named ${name} can be reached with Tab`);
}

describe.skipIf(skipWithout(chromium, "browser tests"))("without a mouse", () => {
  let browser: Browser;
  beforeAll(async () => {
    await builtWeb();
    browser = await present(chromium).launch();
  });
  afterAll(() => browser.close());

  test(
    "a sentence is sent, a question answered, the result read, the plan undone",
    { timeout: 150_000 },
    async () => {
      const place = await makePlace();
      const server = await serveDemo(place);
      const ide = await signIn(browser, /http:\S+/.exec(server.output())?.[0] ?? "");
      const { page } = ide;
      const focused = () => page.evaluate<string>("document.activeElement?.id ?? ''");
      try {
        await press(page, "g", "c");
        await soon(focused).toBe("composer");
        await page.keyboard.type("Make a TODO app");
        await press(page, "Enter");
        await expect.poll(() => taskRows(page).count(), { timeout: 30_000 }).toBe(6);

        await press(page, "Escape", "g", "b");
        await soon(focused).toBe("side");
        await tabTo(page, /^(Yes|はい)/);
        await press(page, "Enter");
        await expect
          .poll(() => statuses(page), { timeout: 90_000 })
          .toEqual(Array.from({ length: 6 }, () => "Succeeded"));

        await press(page, "g", "p");
        await soon(focused).toBe("wbs");
        await press(page, "Home", "ArrowDown", "ArrowDown", "Enter");
        const panel = page.getByRole("tabpanel", { name: "Overview" });
        await panel.getByText("Result").waitFor();

        await press(page, "g", "g");
        await soon(focused).toBe("graph");
        const before = await page.evaluate<string>(
          "new URLSearchParams(location.search).get('task')",
        );
        await press(page, "ArrowRight");
        await soon(() =>
          page.evaluate<string>("new URLSearchParams(location.search).get('task')"),
        ).not.toBe(before);

        await palette(page, "snapshot");
        await palette(page, "pause");
        await page.getByText("paused", { exact: true }).waitFor();
        await palette(page, "resume");
        await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
        await palette(page, "undo");
        await soon(() => taskRows(page).count()).toBe(0);

        await press(page, "?");
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
        await press(page, "Escape");
        await press(page, "/");
        await soon(focused).toBe("filter");
        await expectClean(ide);
      } finally {
        await ide.close();
        server.child.kill("SIGKILL");
        await server.exit;
        await place.remove();
      }
    },
  );

  test(
    "a failure is settled, work stopped and resumed, a snapshot restored",
    { timeout: 120_000 },
    async () => {
      const server = await startTestServer({
        webRoot: await builtWeb(),
        script: ({ taskId }, nth) =>
          nth === 0
            ? { result: failedResult(taskId, "login_missing") }
            : { result: runResult(taskId) },
      });
      await server.post(`${server.ws}/plan`, { operations: [{ op: "create", title: "Login" }] });
      await server.post(`${server.ws}/snapshots`);
      const ide = await signIn(browser, server.server.loginUrl());
      const { page } = ide;
      try {
        await palette(page, "start");
        await soon(() => statuses(page)).toEqual(["Blocked"]);
        await press(page, "g", "b");
        await tabTo(page, /^Decide/);
        await press(page, "Enter");
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("radio", { name: /^Retry/ }).waitFor();
        await tabTo(page, /^Retry$/);
        await press(page, "Enter");
        await soon(() => statuses(page)).toEqual(["Succeeded"]);
        await palette(page, "stop");
        await page.getByText("idle", { exact: true }).waitFor();
        await palette(page, "start");
        await page.getByText("done", { exact: true }).waitFor();
        await palette(page, "stop");

        await server.post(`${server.ws}/plan`, { operations: [{ op: "create", title: "More" }] });
        await soon(() => taskRows(page).count()).toBe(2);
        await press(page, "g", "h");
        await tabTo(page, /^Restore$/);
        await press(page, "Enter");
        await dialog.waitFor();
        await tabTo(page, /^Restore$/);
        await press(page, "Enter");
        await soon(() => taskRows(page).count()).toBe(1);
        await expectClean(ide);
      } finally {
        await ide.close();
        await server.stop();
      }
    },
  );

  test("an Enter that ends a composition sends nothing", async () => {
    const place = await makePlace();
    const server = await serveDemo(place);
    const ide = await signIn(browser, /http:\S+/.exec(server.output())?.[0] ?? "");
    try {
      await ide.page.locator("#composer").focus();
      const cdp = await ide.context.newCDPSession(ide.page);
      await cdp.send("Input.imeSetComposition", {
        text: "とど",
        selectionStart: 2,
        selectionEnd: 2,
      });
      await cdp.send("Input.dispatchKeyEvent", {
        type: "rawKeyDown",
        key: "Process",
        windowsVirtualKeyCode: 229,
      });
      await cdp.send("Input.insertText", { text: "ToDo を作る" });
      expect(await ide.page.locator("#composer").inputValue()).toBe("ToDo を作る");
      expect(await ide.page.getByRole("article").count()).toBe(0);
      await ide.page.keyboard.press("Enter");
      await ide.page.getByRole("article", { name: "you" }).waitFor();
    } finally {
      await ide.close();
      server.child.kill("SIGKILL");
      await server.exit;
      await place.remove();
    }
  });
});
