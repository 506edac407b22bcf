import { expect, test } from "vitest";
import { refusedResult } from "../result.ts";
import { humanLines, paintWith } from "./human-log.ts";
import { oneLine, plainText } from "./plain-text.ts";
import { createStatusLine } from "./status-line.ts";

const plain = paintWith(false);

test("colours are used only where there are some", () => {
  expect(humanLines({ type: "state", from: "RUNNING", to: "FAILED" }, plain)).toEqual([
    "RUNNING → FAILED",
  ]);
  expect(humanLines({ type: "state", from: "RUNNING", to: "FAILED" }, paintWith(true))).toEqual([
    "\u001b[2mRUNNING\u001b[0m → \u001b[31mFAILED\u001b[0m",
  ]);
});

test("a question is shown with its options, a hint and the place of the note", () => {
  const result = {
    ...refusedResult("T", "invalid_task", "Which one?", "Answer it."),
    status: "blocked" as const,
    reason: null,
    question: { text: "Which one?", options: ["A", "B"] },
    artifacts: { files: [], note: ".agent-runner/task-T.md" },
  };
  expect(humanLines({ type: "finished", result }, plain).join("\n")).toBe(
    "✗ blocked: Which one?\n  ? Which one?\n    - A\n    - B\n  Answer it.\n  note: .agent-runner/task-T.md",
  );
});

test.each([
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001bP1;2q...\u001b\\after", "after"],
  ["a\u0008b\u0000c\u009b2Jd", "abcd"],
  ["abc\u202Edef", "abcdef"],
  ["tab\there", "tab here"],
])("text from a worker cannot drive the terminal: %j", (text, shown) => {
  expect(plainText(text)).toBe(shown);
});

test("a long text becomes one line with a mark", () => {
  expect(oneLine("first\nsecond\n", 80)).toBe("first second");
  expect(oneLine("x".repeat(100), 10)).toBe("xxxxxxxxx…");
});

test("lines are printed above the status line, and it is gone in the end", () => {
  const written: string[] = [];
  const status = createStatusLine(
    (text) => written.push(text),
    () => 40,
    () => 0,
  );
  status.print("before\n");
  status.see({ type: "state", from: "PENDING", to: "PLANNING" });
  status.print("during\n");
  status.stop();
  status.print("after\n");
  expect(written).toEqual(["before\n", "\r\u001b[2Kduring\n", "\r\u001b[2K", "after\n"]);
});
