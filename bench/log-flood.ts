import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { root } from "../scripts/paths.mjs";
import { startTestServer, type TestServer } from "../tests/server/test-server.ts";
import { processorMs, watched } from "./page-watch.ts";
import { atMost, type Row } from "./row.ts";

const LINES_PER_SECOND = 10_000;
const SECONDS = 10;
const NAME = "10,000 log lines/s for 10 s";

/** How long the page is ever busy at a stretch while the log pours in, and what it keeps of it. */
export async function floodRows(browser: Browser): Promise<Row[]> {
  const server = await startTestServer({ webRoot: join(root, "dist/web"), script: () => "hang" });
  try {
    const operations = [{ op: "create", title: "Talkative" }];
    await server.post(`${server.ws}/plan`, { operations });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(server.server.loginUrl());
    await page.locator("header.toolbar").waitFor();
    let tasks: number[] = [];
    const processor = await processorMs(page, async () => {
      tasks = await watched(page, "longTasks", () => flood(server));
    });
    const heap = await heapMb(page);
    await page.close();
    return [
      atMost(`${NAME}: longest task of the page`, Math.max(0, ...tasks), "ms", 200),
      atMost(`${NAME}: processor time of the page a second`, processor / SECONDS, "ms", 500),
      atMost(`${NAME}: JavaScript heap afterwards`, heap, "MB", 200),
    ];
  } finally {
    await server.stop();
  }
}

async function flood(server: TestServer): Promise<void> {
  const started = performance.now();
  let sent = 0;
  while (performance.now() - started < SECONDS * 1_000) {
    const due = ((performance.now() - started) / 1_000) * LINES_PER_SECOND;
    for (; sent < due; sent += 1) say(server, `line ${sent} \u001b[32mok\u001b[0m`);
    await sleep(10);
  }
}

function say(server: TestServer, line: string): void {
  server.open.feed.signal({
    signal: "task:log",
    data: {
      taskId: "task-0001",
      attemptId: "attempt-1",
      stream: "stdout",
      line,
      timestamp: new Date().toISOString(),
    },
  });
}

const heapMb = async (page: Page): Promise<number> =>
  (await page.evaluate<number>("performance.memory.usedJSHeapSize")) / 1e6;
