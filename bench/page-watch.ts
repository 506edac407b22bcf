import type { Page } from "playwright-core";

/** Scripts for the page: what they collect stands in `window.watched` until it is fetched. */
const FRAMES = `
  window.watched = [];
  window.watching = true;
  (function frame(last) {
    requestAnimationFrame((now) => {
      if (last !== undefined) window.watched.push(now - last);
      if (window.watching) frame(now);
    });
  })();
`;

const LONG_TASKS = `
  window.watched = [];
  window.observer = new PerformanceObserver((list) =>
    window.watched.push(...list.getEntries().map((entry) => entry.duration)));
  window.observer.observe({ type: "longtask" });
`;

/** How long ago what the title says was sent, each time the title changes. */
const TITLES = `
  window.watched = [];
  window.title_ = document.querySelector("#side h2");
  new MutationObserver(() => {
    const sent = Number(/at (\\d+)/.exec(window.title_.textContent)?.[1]);
    if (sent) window.watched.push(Date.now() - sent);
  }).observe(window.title_, { subtree: true, childList: true, characterData: true });
`;

const WATCHES = { frames: FRAMES, longTasks: LONG_TASKS, titles: TITLES };

/** The processor time the page's main thread used meanwhile, in milliseconds: the same on a busy machine. */
export async function processorMs(page: Page, happen: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const used = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  };
  const before = await used();
  await happen();
  const after = await used();
  await session.detach();
  return after - before;
}

/** What the page measures about itself while something happens, in milliseconds. */
export async function watched(
  page: Page,
  what: keyof typeof WATCHES,
  happen: () => Promise<void>,
): Promise<number[]> {
  await page.evaluate(WATCHES[what]);
  await happen();
  return page.evaluate<number[]>("(window.watching = false, window.watched)");
}
