import { failedResult, runResult } from "@multiverse/orchestrator/testing/fake-runs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import {
  builtWeb,
  expectClean,
  fromPalette,
  signIn,
  statuses,
  taskRows,
  type IdePage,
  soon,
} from "./ide-page.ts";

const chromium = findChromium();
const titles = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[role="treeitem"]:has(svg[role="img"]) .label')].map((e) => e.textContent.trim())`,
  );

describe.skipIf(skipWithout(chromium, "browser tests"))("the panels", () => {
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
    server = await startTestServer({
      webRoot,
      script: ({ taskId }, nth) =>
        taskId === "task-0002" && nth === 0
          ? { result: failedResult(taskId, "login_missing") }
          : { result: runResult(taskId) },
    });
    const create = (title: string, more: object = {}) => ({ op: "create", title, ...more });
    await server.post(`${server.ws}/plan`, {
      operations: [
        create("Model", { milestone: "M1", temp_id: "model" }),
        create("Login", { milestone: "M1", temp_id: "login", tags: ["risky"] }),
        create("Page", { milestone: "M2", dependencies: ["model"] }),
        create("Docs", { milestone: "M2", dependencies: ["login"] }),
      ],
    });
    ide = await signIn(browser, server.server.loginUrl());
  });
  afterEach(async () => {
    await ide.close();
    await server.stop();
  });

  test("one filter holds for tree and graph, and stands in the address", async () => {
    const { page } = ide;
    await page.locator("#filter").fill("log");
    await soon(() => titles(page)).toEqual(["Login"]);
    await soon(() => page.locator(".svelte-flow__node-task .dim").count()).toBe(3);
    await soon(() => page.url()).toContain("q=log");
    await page.reload();
    await soon(() => titles(page)).toEqual(["Login"]);
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByRole("button", { name: "Filter by facet" }).click();
    await page.getByRole("button", { name: "risky 1" }).click();
    await soon(() => titles(page)).toEqual(["Login"]);
    await expectClean(ide);
  });

  test("a task is dragged in the tree, and moved with the keyboard", async () => {
    const { page } = ide;
    await page.getByRole("combobox", { name: "Group by" }).click();
    await page.getByRole("option", { name: "Plan tree" }).click();
    await soon(() => titles(page)).toEqual(["Model", "Login", "Page", "Docs"]);
    await taskRows(page)
      .nth(3)
      .dragTo(taskRows(page).nth(0), { targetPosition: { x: 80, y: 3 } });
    await soon(() => titles(page)).toEqual(["Docs", "Model", "Login", "Page"]);
    await taskRows(page).nth(0).click();
    await page.locator("#wbs").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await soon(() => titles(page)).toEqual(["Model", "Docs", "Login", "Page"]);
    await expectClean(ide);
  });

  test("a failure shows what it holds up, and is settled", async () => {
    const { page } = ide;
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(() => statuses(page), { timeout: 20_000 }).toContain("Succeeded");
    await page.getByRole("button", { name: "1 needs you" }).click();
    const item = page.getByRole("article").first();
    await item.waitFor();
    await item.getByRole("button", { name: "Retry" }).click();
    await expect
      .poll(() => statuses(page), { timeout: 20_000 })
      .toEqual(["Succeeded", "Succeeded", "Succeeded", "Succeeded"]);
    await page.getByText("Nothing needs you").waitFor();
    await page.getByRole("tab", { name: "Task" }).click();
    await page.locator("#side").getByText("The plan is through").waitFor();
    await page.locator("#side").getByText("4/4").first().waitFor();
    await expectClean(ide);
  });

  test("settings are checked before they are saved", async () => {
    const { page } = ide;
    await page.getByRole("button", { name: "Settings" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Meta-agent" }).click();
    await dialog.getByLabel("Base URL").fill("not a url");
    await dialog.getByText("baseUrl:").waitFor();
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Base URL").fill("http://127.0.0.1:9/v1");
    await dialog.getByLabel("Model", { exact: true }).fill("some-model");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const kept = (await (await server.api("/settings/llm")).json()) as { model: string };
    expect(kept.model).toBe("some-model");

    await dialog.getByRole("tab", { name: "Tools" }).click();
    await dialog.getByRole("button", { name: "Edit as JSON" }).click();
    await dialog.getByRole("textbox", { name: "Edit as JSON" }).fill('{"profiles": 3}');
    await dialog.getByText("profiles:").waitFor();
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await expectClean(ide);
  });

  test("the general settings are found by name, and a wrong one is told at its field", async () => {
    const { page } = ide;
    await fromPalette(page, "settings: general");
    const dialog = page.getByRole("dialog", { name: "Settings" });
    const slots = dialog.getByLabel("Tasks at once");
    const save = dialog.getByRole("button", { name: "Save" });
    await slots.fill("0");
    await dialog.getByRole("alert").getByText("1 to 64").waitFor();
    expect(await save.isDisabled()).toBe(true);
    await slots.fill("2");
    await soon(() => dialog.getByRole("alert").count()).toBe(0);
    await dialog.getByRole("radio", { name: "Keep tasks apart" }).focus();
    await page.keyboard.press("ArrowDown");
    await dialog.getByLabel("Private hosts").fill("10.0.0.5\nregistry.internal");
    await page.route("**/settings/general", (route) =>
      route.fulfill({
        status: 507,
        json: { error: { code: "STORAGE_FULL", message: "The disk is full.", hint: "" } },
      }),
    );
    await save.click();
    await page.getByText("The disk is full.").waitFor();
    await page.unroute("**/settings/general");
    await save.click();
    await page.getByText("Saved.").waitFor();
    expect(await (await server.api("/settings/general")).json()).toMatchObject({
      parallel: "always",
      maxParallel: 2,
      allowPrivateHosts: ["10.0.0.5", "registry.internal"],
    });
    await expectClean(ide);
  });

  test("a card tells more when the pointer rests on it", async () => {
    const { page } = ide;
    await page.locator(".svelte-flow__node-task").getByText("Docs").hover();
    const tip = page.getByRole("tooltip");
    await tip.getByText("waits for Login").waitFor();
    await tip.getByText("M2").waitFor();
    await page.mouse.move(2, 2);
    await soon(() => tip.count()).toBe(0);
    await expectClean(ide);
  });

  test("a tool profile is made with forms alone", async () => {
    const { page } = ide;
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Tools" }).click();
    await dialog.getByRole("button", { name: "New profile" }).first().click();
    await dialog.getByLabel("Name", { exact: true }).fill("Night shift");
    const worker = dialog.getByRole("region", { name: "Worker" });
    await worker.getByRole("button", { name: "Add a candidate" }).click();
    await worker.getByRole("combobox", { name: "Tool" }).last().click();
    await page.getByRole("option", { name: "claude-code" }).click();
    await worker.getByRole("spinbutton", { name: "Weight" }).last().fill("3");
    await worker.getByText("75 %").waitFor();
    await dialog.getByRole("button", { name: "Meta-agent" }).click();
    await dialog.getByRole("region", { name: "Meta-agent" }).waitFor();
    await dialog.getByRole("switch", { name: "Force one tool for everything" }).click();
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog.getByRole("switch", { name: "Force one tool for everything" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    const kept = (await (await server.api("/settings/tooling")).json()) as {
      activeProfile: string;
      profiles: { name: string; categories: Record<string, { candidates: object[] }> }[];
    };
    const profile = kept.profiles.find(({ name }) => name === "Night shift");
    expect(Object.keys(profile?.categories ?? {}).sort()).toEqual(["meta", "worker"]);
    expect(profile?.categories["worker"]?.candidates).toMatchObject([
      { tool: "codex-cli", weight: 1 },
      { tool: "claude-code", weight: 3 },
    ]);
    await expectClean(ide);
  });

  test("theme and language are switched and remembered", async () => {
    const { page } = ide;
    await page.getByRole("button", { name: "Light theme" }).click();
    await page.getByRole("button", { name: "日本語に切り替える" }).click();
    await page.getByRole("button", { name: "設定", exact: true }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "設定", exact: true }).waitFor();
    expect(await page.evaluate<string>("document.documentElement.dataset.theme")).toBe("light");
    await expectClean(ide);
  });

  test("an action the server refuses is said, with the reason", async () => {
    const { page } = ide;
    await page.route("**/execution", (route) =>
      route.fulfill({
        status: 507,
        json: { error: { code: "STORAGE_FULL", message: "The disk is full.", hint: "Make room." } },
      }),
    );
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("The disk is full.").waitFor();
    await page.getByText("Make room.").waitFor();
    await expectClean(ide);
  });

  test(
    "a slow network shows that it is loading, and then all is there",
    { timeout: 40_000 },
    async () => {
      const { page, context } = ide;
      const cdp = await context.newCDPSession(page);
      await cdp.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 700,
        downloadThroughput: 80_000,
        uploadThroughput: 40_000,
      });
      await page.reload({ waitUntil: "commit" });
      await page.getByText("Loading…").waitFor({ timeout: 30_000 });
      await expect.poll(() => titles(page), { timeout: 30_000 }).toHaveLength(4);
      await expectClean(ide);
    },
  );
});
