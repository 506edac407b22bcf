import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { build } from "../../scripts/build-parts.mjs";

const results = new URL("../../test-results/", import.meta.url);

/** The page as it ships, built from the sources as they are now. */
export async function builtWeb(): Promise<string> {
  await build(["web"]);
  return fileURLToPath(new URL("../../dist/web", import.meta.url));
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "dark" | "light";
  readonly language?: "en" | "ja";
  /** Without motion, for pictures and measures of contrast. */
  readonly still?: boolean;
  /** Done before the first request. */
  readonly prepare?: (context: BrowserContext) => Promise<void>;
}

/** A page of the IDE in a browser of its own, with everything on record that must not happen. */
export interface IdePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests that left the origin. */
  readonly strangers: string[];
  /** Errors and exceptions of the page. */
  readonly errors: string[];
  /** What the content security policy stopped. */
  violations(): Promise<string[]>;
  close(): Promise<void>;
}

const WATCH = `
  window.policyViolations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    window.policyViolations.push(event.violatedDirective + " " + event.blockedURI + " " + event.sample);
  });
`;

/** Signs in with a one-time link and waits for the workspace. */
export async function signIn(
  browser: Browser,
  loginUrl: string,
  look: Look = {},
): Promise<IdePage> {
  const { width = 1440, height = 900, theme = "dark", language = "en", still = false } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: still ? "reduce" : "no-preference",
  });
  await look.prepare?.(context);
  await context.addInitScript(WATCH);
  await context.addInitScript(
    `localStorage.getItem("multiverse") ?? localStorage.setItem("multiverse", ${JSON.stringify(JSON.stringify({ theme, language }))})`,
  );
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const { origin } = new URL(loginUrl);
  const strangers: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) strangers.push(url);
  });
  page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
  page.on("console", (message) => {
    // A failed request is reported by the browser itself; the page shows it in its own way.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  await page.goto(loginUrl);
  await page.locator("header.toolbar").waitFor({ timeout: 60_000 });
  return {
    page,
    context,
    strangers,
    errors,
    violations: () => page.evaluate<string[]>("window.policyViolations"),
    close: () => context.close(),
  };
}

/** Nothing left the origin, nothing was stopped by the policy, nothing threw. */
export async function expectClean(ide: IdePage): Promise<void> {
  expect(await ide.violations()).toEqual([]);
  expect(ide.strangers).toEqual([]);
  expect(ide.errors).toEqual([]);
}

export async function say(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.locator("#composer").press("Enter");
}

/** Finds something in the palette and does it. */
export async function fromPalette(page: Page, query: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await soon(() => page.evaluate("document.activeElement?.getAttribute('role')")).toBe("combobox");
  await page.keyboard.type(query);
  await page.getByRole("dialog").getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
}

/** Rows of the plan tree that stand for tasks, with their status. */
export const taskRows = (page: Page): Locator =>
  page.locator('[role="treeitem"]:has(svg[role="img"])');

/** The statuses the tree shows, one a task. */
export const statuses = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[role="treeitem"] svg[role="img"]')].map((icon) => icon.getAttribute("aria-label"))`,
  );

export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(results, { recursive: true });
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, results)) });
}

/** Asks again until the answer is right; a busy machine may take its time. */
export const soon = <T>(get: () => T): ReturnType<typeof expect.poll<T>> =>
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- whoever calls this awaits it
  expect.poll(get, { interval: 50 });

/** Nothing is still being fetched: no spinner turns, no part of the page is on its way. */
export async function settled(page: Page): Promise<void> {
  await soon(() => page.locator("svg.spinner:not([aria-busy] svg), [data-loading]").count()).toBe(
    0,
  );
}
