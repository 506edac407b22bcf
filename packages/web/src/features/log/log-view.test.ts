import { expect, test } from "vitest";
import type { LogLine } from "../../workspace/log-lines.ts";
import { filterLines, logFile } from "./log-view.ts";
import { marked } from "./marked.ts";

const line = (n: number, text: string, stream: LogLine["stream"] = "stdout"): LogLine => ({
  n,
  taskId: "t",
  attemptId: "a",
  stream,
  text,
  at: "2026-01-01T00:00:00Z",
});

test("a search ignores case and colour", () => {
  const lines = [line(1, "\u001b[31mERROR\u001b[0m here"), line(2, "fine")];
  expect(filterLines(lines, { search: "error here", stream: "all" }).map((l) => l.n)).toEqual([1]);
});

test("a stream can be looked at alone", () => {
  const lines = [line(1, "a"), line(2, "b", "stderr")];
  expect(filterLines(lines, { search: "", stream: "stderr" }).map((l) => l.n)).toEqual([2]);
});

test("the downloaded file is plain text", () => {
  expect(logFile([line(1, "\u001b[32mok\u001b[0m")], () => "Task")).toBe(
    "2026-01-01T00:00:00Z Task stdout ok\n",
  );
});

test("hits are cut out of the text, all of them", () => {
  expect(marked("abcABC", "bc").map((p) => [p.text, p.hit])).toEqual([
    ["a", false],
    ["bc", true],
    ["A", false],
    ["BC", true],
  ]);
});

test("events of a worker's own protocol are left out unless everything is wanted", () => {
  const lines = [line(1, '{"type":"message","text":"x"}'), line(2, "✎ write a.js")];
  expect(filterLines(lines, { search: "", stream: "readable" }).map((l) => l.n)).toEqual([2]);
  expect(filterLines(lines, { search: "", stream: "all" }).length).toBe(2);
});
