import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { findChromium } from "../tests/harness/chromium.ts";
import { CHANGED, changeTitles } from "./change-titles.ts";
import { factToClient } from "./fact-to-client.ts";
import { atMost, type Row } from "./row.ts";
import { serve, type Served } from "./served.ts";
import { percentile } from "./stats.ts";

const TASKS = 1_000;
const IDLE_MS = 20_000;

/** A server with a plan of 1,000 tasks: what it costs to have it, and how fast a fact reaches a client and the screen. */
export async function run(): Promise<Row[]> {
  const served = await serve(TASKS);
  try {
    const rows = [...(await idle(served)), ...(await factToClient(served))];
    const chromium = findChromium();
    if ("missing" in chromium) {
      console.error(`left out, the browser's rows: ${chromium.missing}`);
      return rows;
    }
    const browser = await chromium.launch();
    try {
      return [...rows, ...(await inBrowser(served, browser))];
    } finally {
      await browser.close();
    }
  } finally {
    await served.stop();
  }
}

async function idle({ pid }: Served): Promise<Row[]> {
  await sleep(5_000);
  const before = cpuSeconds(pid);
  await sleep(IDLE_MS);
  const percent = ((cpuSeconds(pid) - before) / (IDLE_MS / 1_000)) * 100;
  const megabytes = memoryMb(pid);
  return [
    atMost(`server idle, ${TASKS} tasks: share of a core`, percent, "%", 0.5),
    atMost(`server idle, ${TASKS} tasks: memory`, megabytes, "MB", 150),
  ];
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const memoryMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

async function inBrowser(served: Served, browser: Browser): Promise<Row[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(served.loginUrl);
  await page.locator(".svelte-flow__node-task").first().waitFor({ timeout: 30_000 });
  const frames = await pan(page);
  const p95 = percentile(frames, 0.95);
  const panRow: Row = {
    name: `graph, ${TASKS} nodes: frame time while panning, p95`,
    value: p95,
    unit: "ms",
    floor: 16.7,
    ratio: p95 / 16.7,
    target: 2,
    ok: p95 / 16.7 <= 2,
  };
  return [await toDom(served, page), panRow];
}

const WATCH_TITLE = `
  window.delays = [];
  const title = document.querySelector("#side h2");
  new MutationObserver(() => {
    const sent = Number(/at (\\d+)/.exec(title.textContent)?.[1]);
    if (sent) window.delays.push(Date.now() - sent);
  }).observe(title, { subtree: true, childList: true, characterData: true });
`;

async function toDom(served: Served, page: Page): Promise<Row> {
  await page.locator("#filter").fill(CHANGED);
  await page.getByRole("treeitem").filter({ hasText: "Task" }).last().click();
  await page.locator("#side h2").waitFor();
  await page.evaluate(WATCH_TITLE);
  await changeTitles(served);
  await sleep(500);
  const delays = await page.evaluate<number[]>("window.delays");
  if (delays.length < 100) throw new Error(`the page showed only ${delays.length} of the changes`);
  return atMost("fact → DOM at 100 facts/s, p95", percentile(delays, 0.95), "ms", 150);
}

const WATCH_FRAMES = `
  window.frameTimes = [];
  window.watching = true;
  (function frame(last) {
    requestAnimationFrame((now) => {
      if (last !== undefined) window.frameTimes.push(now - last);
      if (window.watching) frame(now);
    });
  })();
`;

async function pan(page: Page): Promise<number[]> {
  const box = await page.locator("#graph").boundingBox();
  if (box === null) throw new Error("the graph is not there");
  const right = box.x + box.width - 40;
  const top = box.y + box.height / 3;
  await page.mouse.move(right, top);
  await page.mouse.down();
  await page.evaluate(WATCH_FRAMES);
  for (let step = 1; step <= 120; step += 1)
    await page.mouse.move(right - 5 * step, top + 20 * Math.sin(step / 8));
  const frames = await page.evaluate<number[]>("(window.watching = false, window.frameTimes)");
  await page.mouse.up();
  return frames;
}
