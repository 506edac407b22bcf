import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCappedLog } from "./capped-log.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "multiverse-log-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function logOf(lines: readonly string[], cap: number): Promise<string> {
  const path = join(folder, "log");
  const log = await openCappedLog(path, cap);
  for (const line of lines) await log.write(line);
  await log.close();
  expect(await readdir(folder)).toEqual(["log"]);
  return readFile(path, "utf8");
}

test("below its cap a log is what was written", async () => {
  expect(await logOf(["one", "two"], 1_000)).toBe("one\ntwo\n");
});

test("beyond it the beginning and the end are kept, with a mark between", async () => {
  const lines = Array.from({ length: 1_000 }, (_, i) => `line ${String(i).padStart(4, "0")}`);
  const text = await logOf(lines, 2_000);
  expect(text.length).toBeLessThan(2_100);
  expect(text.startsWith("line 0000\nline 0001\n")).toBe(true);
  expect(text.endsWith("line 0998\nline 0999\n")).toBe(true);
  expect(text).toMatch(/\[… 8000 bytes left out …\]/);
});

test("what fits exactly into beginning and end has no mark", async () => {
  const lines = Array.from({ length: 100 }, (_, i) => `line ${String(i).padStart(4, "0")}`);
  expect(await logOf(lines, 2_000)).toBe(lines.map((line) => `${line}\n`).join(""));
});
