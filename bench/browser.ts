import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { findChromium } from "../tests/harness/chromium.ts";
import { CHANGED, CHANGES, changeTitles } from "./change-titles.ts";
import { floodRows } from "./log-flood.ts";
import { processorMs, watched } from "./page-watch.ts";
import { layoutRows } from "./graph-layout.ts";
import { atMost, type Row } from "./row.ts";
import { serve, type Served } from "./served.ts";
import { percentile } from "./stats.ts";
import { sizeRows } from "./web-size.ts";

const FRAME_MS = 16.7;

/** The page in a real browser, software-rendered, with the panels' blur on. */
export async function run(): Promise<Row[]> {
  const sizes = [...sizeRows(), ...layoutRows()];
  const chromium = findChromium();
  if ("missing" in chromium) {
    console.error(`left out, the browser's rows: ${chromium.missing}`);
    return sizes;
  }
  const browser = await chromium.launch();
  try {
    return [
      ...sizes,
      ...(await thousandTasks(browser)),
      ...(await fiveThousandTasks(browser)),
      ...(await floodRows(browser)),
    ];
  } finally {
    await browser.close();
  }
}

/** Opens a page that has logged in, once to fill the browser's cache and once to be measured. */
async function open(
  browser: Browser,
  served: Served,
  what: { tasks: string; limitMs: number },
): Promise<{ page: Page; rows: Row[] }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(served.loginUrl);
  await firstCard(page);
  const processor = await processorMs(page, async () => {
    await page.reload();
    await firstCard(page);
  });
  const painted = await page.evaluate<number>("performance.now()");
  const name = `${what.tasks} tasks: address entered → cards on screen`;
  const rows = [
    atMost(name, painted, "ms", what.limitMs),
    atMost(`${name}, processor time of the page`, processor, "ms", what.limitMs),
  ];
  return { page, rows };
}

const firstCard = (page: Page): Promise<void> =>
  page.locator(".svelte-flow__node-task").first().waitFor({ timeout: 60_000 });

async function thousandTasks(browser: Browser): Promise<Row[]> {
  const served = await serve(1_000);
  try {
    const { page, rows } = await open(browser, served, { tasks: "1,000", limitMs: 1_000 });
    const pan = await frames(page, "panning", () => drag(page));
    const zoom = await frames(page, "zooming", () => wheel(page));
    return [...rows, ...pan, ...zoom, ...(await toDom(served, page))];
  } finally {
    await served.stop();
  }
}

async function fiveThousandTasks(browser: Browser): Promise<Row[]> {
  const served = await serve(5_000);
  try {
    const { page, rows } = await open(browser, served, { tasks: "5,000", limitMs: 3_000 });
    const started = performance.now();
    await page.locator("#filter").fill("Task 4321");
    await page.getByRole("treeitem").filter({ hasText: "Task 4321" }).first().waitFor();
    const found = performance.now() - started;
    return [...rows, atMost("5,000 tasks: filter typed → found", found, "ms", 500)];
  } finally {
    await served.stop();
  }
}

/** Frame times as a person sees them, and the processor time behind each, which others on the machine do not change. */
async function frames(page: Page, doing: string, move: () => Promise<void>): Promise<Row[]> {
  let times: number[] = [];
  const processor = await processorMs(page, async () => {
    times = await watched(page, "frames", move);
  });
  const p95 = percentile(times, 0.95);
  const each = processor / Math.max(1, times.length);
  return [
    framesRow(`graph, 1,000 nodes: frame time while ${doing}, p95`, p95, 2),
    framesRow(`graph, 1,000 nodes: processor time a frame while ${doing}`, each, 1),
  ];
}

const framesRow = (name: string, value: number, target: number): Row => {
  const ratio = value / FRAME_MS;
  return { name, value, unit: "ms", floor: FRAME_MS, ratio, target, ok: ratio <= target };
};

async function toDom(served: Served, page: Page): Promise<Row[]> {
  await page.locator("#filter").fill(CHANGED);
  await page.getByRole("treeitem").filter({ hasText: "Task" }).last().click();
  await page.locator("#side h2").waitFor();
  let delays: number[] = [];
  const processor = await processorMs(page, async () => {
    delays = await watched(page, "titles", async () => {
      await changeTitles(served);
      await sleep(500);
    });
  });
  if (delays.length < 100) throw new Error(`the page showed only ${delays.length} of the changes`);
  return [
    atMost("fact → DOM at 100 facts/s, p95", percentile(delays, 0.95), "ms", 150),
    atMost("fact → DOM: processor time of the page a fact", processor / CHANGES, "ms", 10),
  ];
}

async function corner(page: Page): Promise<{ right: number; top: number }> {
  const box = await page.locator("#graph").boundingBox();
  if (box === null) throw new Error("the graph is not there");
  return { right: box.x + box.width - 40, top: box.y + box.height / 3 };
}

async function drag(page: Page): Promise<void> {
  const { right, top } = await corner(page);
  await page.mouse.move(right, top);
  await page.mouse.down();
  for (let step = 1; step <= 120; step += 1)
    await page.mouse.move(right - 5 * step, top + 20 * Math.sin(step / 8));
  await page.mouse.up();
}

async function wheel(page: Page): Promise<void> {
  const { right, top } = await corner(page);
  await page.mouse.move(right - 300, top + 60);
  for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, step < 30 ? 24 : -24);
}
