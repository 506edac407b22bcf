import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../harness/chromium.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { failedResult, runResult } from "@multiverse/orchestrator/testing/fake-runs";
import { builtWeb, expectClean, signIn, taskRows, type Look, soon } from "./ide-page.ts";

const chromium = findChromium();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly where: readonly string[];
}

/** What axe finds serious or critical on the page as it stands. */
async function findings(page: Page): Promise<Finding[]> {
  await page.evaluate(axe);
  return page.evaluate<
    Finding[]
  >(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 5).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "").slice(0, 160)) })))`);
}

describe.skipIf(skipWithout(chromium, "browser tests"))("accessibility", () => {
  let browser: Browser;
  let server: TestServer;

  beforeAll(async () => {
    const webRoot = await builtWeb();
    browser = await present(chromium).launch();
    server = await startTestServer({
      webRoot,
      script: (request) =>
        request.taskId === "task-0001"
          ? { result: runResult(request.taskId, { summary: "All **good**", criteria: [] }) }
          : request.taskId === "task-0002"
            ? { result: failedResult(request.taskId, "login_missing") }
            : "hang",
      planPatch: async () => ({
        understanding: "Two things are open.",
        operations: [],
        potentialConflicts: [],
        questions: [
          {
            text: "Which storage?",
            options: ["A file", "SQLite"],
            blocking: false,
            default: "A file",
          },
        ],
      }),
    });
    const create = (title: string, extra: object = {}) => ({
      op: "create",
      title,
      milestone: "M1",
      phase_name: "Build",
      ...extra,
    });
    await server.post(`${server.ws}/plan`, {
      operations: [
        create("Model", { temp_id: "model", acceptance_criteria: ["It works"] }),
        create("Login", { temp_id: "login" }),
        create("Page", { dependencies: ["model"] }),
        create("Docs", { dependencies: ["login"], milestone: "M2" }),
      ],
    });
    await server.post(`${server.ws}/execution`, { action: "start" });
    const session = (await (await server.post(`${server.ws}/chat`)).json()) as { id: string };
    await server.post(`${server.ws}/chat/${session.id}/messages`, { text: "Make it so" });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const looks: readonly Look[] = [
    { theme: "dark", language: "en" },
    { theme: "light", language: "ja" },
    { theme: "light", language: "en", width: 390, height: 844 },
    { theme: "dark", language: "ja", width: 390, height: 844 },
  ];
  for (const look of looks)
    test(
      `no serious finding on any screen, ${Object.values(look).join(", ")}`,
      { timeout: 120_000 },
      async () => {
        const ide = await signIn(browser, server.server.loginUrl(), { ...look, still: true });
        const { page } = ide;
        const found: Record<string, Finding[]> = {};
        const check = async (screen: string) => {
          await soon(() => page.locator("svg.spinner").count()).toBe(0);
          const list = await findings(page);
          if (list.length > 0) found[screen] = list;
        };
        try {
          await page.getByRole("article").first().waitFor();
          await check("main");
          for (const tab of await page.getByRole("tab").all()) {
            await tab.click();
            await check(`tab ${await tab.textContent()}`);
          }
          const rows = taskRows(page);
          if ((look.width ?? 1440) < 900) await page.locator('[data-tab="plan"]').click();
          await rows.first().click();
          await check("task");
          for (const section of (await page.locator("#task-section").count())
            ? ["changes", "note", "attempts"]
            : []) {
            await page.locator(`[data-tab="${section}"]`).click();
            await check(section);
          }
          await page.keyboard.press("Control+k");
          await check("palette");
          await page.keyboard.press("Escape");
          await page.locator("#app").click({ position: { x: 2, y: 2 } });
          await page.keyboard.press("?");
          await check("help");
          await page.keyboard.press("Escape");
          await page.keyboard.press("g");
          await page.keyboard.press("s");
          for (const tab of ["look", "llm", "tooling"]) {
            await page.locator(`[role="dialog"] [data-tab="${tab}"]`).click();
            await check(`settings ${tab}`);
          }
          await page.goto(`${server.url}/?welcome`);
          await page.getByRole("main").waitFor();
          await check("welcome");
          expect(found).toEqual({});
          await expectClean(ide);
        } finally {
          await ide.close();
        }
      },
    );
});
