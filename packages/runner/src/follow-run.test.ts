import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { followRun } from "./follow-run.ts";
import type { FollowEnd } from "./follow-run.ts";
import { refusedResult } from "./result.ts";
import { toSnake } from "@multiverse/protocol/case";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "follow-"));
  path = join(folder, "events.jsonl");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const stamp = { v: 1, at: "2026-01-01T00:00:00Z", trace_id: "t", task_id: "T" };
const output = (line: string): string =>
  `${JSON.stringify({ ...stamp, type: "output", stream: "stdout", line })}\n`;
const FINISHED = `${JSON.stringify({ ...stamp, type: "finished", result: toSnake(refusedResult("T", "invalid_task", "no", "hint")) })}\n`;

/** Follows in the background; `seen` grows as events come. */
function follow(isAlive = () => true, from = 0) {
  const stop = new AbortController();
  const seen: string[] = [];
  const ended = (async (): Promise<FollowEnd> => {
    const events = followRun(path, { signal: stop.signal, isAlive, from });
    for (;;) {
      const next = await events.next();
      if (next.done) return next.value;
      seen.push(lineOf(next.value));
    }
  })();
  return { seen, ended, stop: () => stop.abort() };
}
const lineOf = (event: RunEvent): string => (event.type === "output" ? event.line : event.type);

test("events come as they are appended, and the end is `finished`", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] }); // the slow look never comes: only watching can tell
  writeFileSync(path, output("first"));
  const { seen, ended } = follow();
  await expect.poll(() => seen).toEqual(["first"]);
  appendFileSync(path, output("second"));
  await expect.poll(() => seen, { timeout: 15_000 }).toEqual(["first", "second"]);
  appendFileSync(path, FINISHED);
  expect(await ended).toBe("finished");
  expect(seen).toEqual(["first", "second", "finished"]);
});

test("a file that does not exist yet is waited for", async () => {
  const { seen, ended } = follow();
  writeFileSync(path, output("a") + FINISHED);
  expect(await ended).toBe("finished");
  expect(seen).toEqual(["a", "finished"]);
});

test("a partial last line is waited for, also one cut inside a character", async () => {
  const bytes = Buffer.from(output("日本語") + FINISHED);
  const { seen, ended } = follow();
  for (let at = 0; at < bytes.length; at += 23) {
    appendFileSync(path, bytes.subarray(at, at + 23));
    await new Promise((done) => setImmediate(done));
  }
  expect(await ended).toBe("finished");
  expect(seen).toEqual(["日本語", "finished"]);
});

test("a run that is gone without `finished` has died; what it wrote last is heard first", async () => {
  writeFileSync(path, `${output("last words")}{"v":1,"type":"out`);
  const { seen, ended } = follow(() => false);
  expect(await ended).toBe("died");
  expect(seen).toEqual(["last words"]);
});

test("a run that dies while it is followed is noticed", async () => {
  let alive = true;
  writeFileSync(path, output("a"));
  const { seen, ended } = follow(() => alive);
  await expect.poll(() => seen).toEqual(["a"]);
  alive = false;
  expect(await ended).toBe("died");
});

test.each([
  ["no JSON", "what?\n"],
  ["no event", '{"v":1,"type":"party"}\n'],
  ["another version", output("x").replace('"v":1', '"v":2')],
])("a line that is %s ends it as malformed", async (_, line) => {
  writeFileSync(path, output("fine") + line + output("never heard"));
  const { seen, ended } = follow();
  expect(await ended).toBe("malformed");
  expect(seen).toEqual(["fine"]);
});

test("a line over 1 MiB is malformed, whether it ends or not", async () => {
  writeFileSync(path, `"${"x".repeat(3_000_000)}`);
  expect(await follow().ended).toBe("malformed");
  writeFileSync(path, output("y".repeat(1_200_000)));
  expect(await follow().ended).toBe("malformed");
});

test("a long event below the limit is heard whole", async () => {
  writeFileSync(path, output("z".repeat(900_000)) + FINISHED);
  const { seen, ended } = follow();
  expect(await ended).toBe("finished");
  expect(seen[0]).toHaveLength(900_000);
});

test("following can begin in the middle", async () => {
  writeFileSync(path, output("old") + output("new") + FINISHED);
  const { seen, ended } = follow(undefined, output("old").length);
  await ended;
  expect(seen).toEqual(["new", "finished"]);
});

test("stopping to follow ends it at once", async () => {
  writeFileSync(path, output("a"));
  const { seen, ended, stop } = follow();
  await expect.poll(() => seen).toEqual(["a"]);
  stop();
  expect(await ended).toBe("aborted");
});

test("memory stays small, however much is written", async () => {
  const chunk = output("m".repeat(1_000)).repeat(1_000);
  for (let i = 0; i < 40; i++) appendFileSync(path, chunk);
  appendFileSync(path, FINISHED);
  let count = 0;
  let peak = 0;
  const before = process.memoryUsage().rss;
  for await (const event of followRun(path, {
    signal: new AbortController().signal,
    isAlive: () => true,
  })) {
    if (event.type === "output" && ++count % 4_000 === 0)
      peak = Math.max(peak, process.memoryUsage().rss - before);
  }
  expect(count).toBe(40_000);
  expect(peak).toBeLessThan(200 * 1_048_576);
});
