import fc from "fast-check";
import { expect, test } from "vitest";
import type { LogLine } from "../../workspace/log-lines.ts";
import { StoredLog, withoutLive } from "./stored-log.ts";

/** Files that answer as the server does, in parts of at most so many bytes. */
const files =
  (all: Readonly<Record<string, string>>, part = 256 * 1_024) =>
  (id: string, after: number) => {
    const bytes = Buffer.from(all[id] ?? "");
    const from = Math.min(after, bytes.length);
    const text = bytes.subarray(from, from + part).toString("utf8");
    return Promise.resolve({ text, after: from + Buffer.byteLength(text), size: bytes.length });
  };
const source = (attemptId: string) => ({ attemptId, taskId: `task of ${attemptId}` });
const live = (texts: readonly string[]): LogLine[] =>
  texts.map((text, i) => ({
    n: i + 1,
    taskId: "t",
    attemptId: "a",
    stream: "stdout",
    text,
    at: "",
  }));

async function readAll(log: StoredLog): Promise<LogLine[]> {
  let lines: LogLine[] = [];
  while (!log.done) lines = [...(await log.earlier()), ...lines];
  return lines;
}

test("attempts are read from the end, the newest first, and none is asked for too early", async () => {
  const many = Array.from({ length: 400 }, (_, i) => `new ${i}`);
  const log = new StoredLog(
    files({ old: "a\nb\n", new: `${many.join("\n")}\n` }),
    [source("new"), source("old")],
    () => [],
  );
  expect((await log.earlier()).map((line) => line.text)).toEqual(many);
  expect(log.done).toBe(false);
  expect((await log.earlier()).map((line) => [line.text, line.taskId])).toEqual([
    ["a", "task of old"],
    ["b", "task of old"],
  ]);
  expect(log.done).toBe(true);
});

test("a long file comes whole, in order, in any writing, with numbers that grow", async () => {
  const lines = Array.from(
    { length: 40_000 },
    (_, i) => `${i} ${i % 3 ? "日本語の行" : "plain 👩‍👩‍👧‍👦"}`,
  );
  const log = new StoredLog(files({ a: `${lines.join("\n")}\n` }), [source("a")], () => []);
  const read = await readAll(log);
  expect(read.map((line) => line.text)).toEqual(lines);
  expect(read.every((line, i) => i === 0 || line.n > (read[i - 1]?.n ?? 0))).toBe(true);
});

test("an empty or missing log is no line", async () => {
  expect(await new StoredLog(files({}), [source("a")], () => []).earlier()).toEqual([]);
});

test("what the page got live is not given again, wherever the two meet", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("same", "x", "y", ""), { minLength: 1, maxLength: 40 }),
      fc.nat(40),
      fc.nat(3),
      (texts, from, ahead) => {
        const all = texts.map((text, i) => `${i} ${text}`);
        const seen = all.slice(Math.min(from, all.length - 1));
        const stored = all.slice(0, all.length - Math.min(ahead, seen.length - 1));
        const rest = withoutLive(stored.toReversed(), live(seen)).reverse();
        expect([...rest, ...seen]).toEqual(all);
      },
    ),
  );
});
