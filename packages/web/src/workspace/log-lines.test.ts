import { expect, test } from "vitest";
import { LINES_IN_ALL, LINES_PER_TASK, LogLines } from "./log-lines.ts";

const line = (taskId: string, text: string) =>
  ({ taskId, attemptId: "a", stream: "stdout", text, at: "2026-01-01T00:00:00Z" }) as const;

test("keeps the last thousand lines of a task, in order", () => {
  const logs = new LogLines();
  for (let i = 0; i < 2_500; i++) logs.add(line("t", `line ${i}`));
  const kept = logs.lines("t");
  expect(kept.length).toBe(LINES_PER_TASK);
  expect([kept[0]?.text, kept.at(-1)?.text]).toEqual(["line 1500", "line 2499"]);
});

test("memory is bounded over all tasks and in their number", () => {
  const logs = new LogLines();
  for (let i = 0; i < 20_000; i++) logs.add(line(`t${i % 200}`, "x"));
  expect(logs.lines(null).length).toBe(LINES_IN_ALL);
  expect(logs.lines("t0")).toEqual([]);
  expect(logs.lines("t199").length).toBeGreaterThan(0);
});

test("escapes are taken out before a line is kept", () => {
  const logs = new LogLines();
  logs.add(line("t", "\u001b]0;title\u0007text"));
  expect(logs.lines("t")[0]?.text).toBe("text");
});

test("what came as one line but is several is kept as several", () => {
  const logs = new LogLines();
  logs.add(line("t", "$ npm test\r\n# pass 12\n"));
  expect(logs.lines("t").map((l) => [l.n, l.text])).toEqual([
    [1, "$ npm test"],
    [2, "# pass 12"],
  ]);
});

test("clearing one task leaves the others", () => {
  const logs = new LogLines();
  logs.add(line("a", "1"));
  logs.add(line("b", "2"));
  logs.clear("a");
  expect([logs.lines("a").length, logs.lines("b").length]).toEqual([0, 1]);
});
