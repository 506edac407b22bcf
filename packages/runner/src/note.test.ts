import { expect, test } from "vitest";
import { renderNote } from "./note.ts";
import type { NoteView } from "./note.ts";

const VIEW: NoteView = {
  id: "TASK-1",
  title: "Hello",
  state: "FAILED",
  prdText: "# Say hello\n\nIn a file.\n```sh\necho hello\n```\n",
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:01:00.000Z",
  summary: "Still not done after 2 validations; not passed: AC-2.",
  reason: "max_loops",
  hint: "Raise runner.max_loops.",
  question: null,
  risks: ["nobody has read it"],
  warnings: ['test file deleted: "a.test.js"'],
  criteria: [
    {
      id: "AC-1",
      description: "hello.txt\nis there",
      type: "file",
      critical: true,
      check: { kind: "command", command: "test -f hello.txt" },
      passed: true,
      comment: "`test -f hello.txt` exited 0",
      evidence: { command: "test -f hello.txt", exitCode: 0, durationMs: 3, tail: "" },
    },
    {
      id: "AC-2",
      description: "It is kind",
      type: "",
      critical: false,
      check: null,
      passed: false,
      comment: "",
      evidence: null,
    },
  ],
  metaCalls: [
    {
      type: "plan_task",
      timestamp: "2026-01-01T00:00:01.000Z",
      request: { task: { id: "TASK-1" }, prd: "Say ```hello```" },
      response: { acceptance_criteria: [{ description: "hello.txt is there" }] },
      provider: "openai-chat",
      model: "gpt-5.2",
      durationMs: 1_200.4,
      usage: { inputTokens: 1, outputTokens: 2, usd: null },
    },
  ],
  workerRuns: [
    {
      id: "run-1",
      tool: "mock",
      model: "",
      startedAt: "2026-01-01T00:00:02.000Z",
      finishedAt: "2026-01-01T00:00:05.000Z",
      exitCode: 1,
      succeeded: false,
      rawOutput: "before\n````\nfour backticks\n````\nafter\n",
      outputLength: 38,
      summary: "# I tried\n---\nbut failed",
      failure: { kind: "other", message: "crashed", retryAt: null },
      files: [],
      changedFiles: ["hello.txt", "odd `name`.txt"],
      logPath: ".agent-runner/logs/task-TASK-1-run-1.log",
      usage: { inputTokens: 0, outputTokens: 0, usd: null },
      sessionId: null,
    },
  ],
  testResult: { command: "npm test", exitCode: 1, durationMs: 900, tail: "1 failed\n" },
};

test("the note in Japanese is as it was agreed", async () => {
  await expect(renderNote(VIEW, "ja")).toMatchFileSnapshot("golden/note-ja.txt");
});

test("the note in English is as it was agreed", async () => {
  await expect(renderNote(VIEW, "en")).toMatchFileSnapshot("golden/note-en.txt");
});

const headings = (note: string): string[] =>
  note.split("\n").filter((line) => /^#{1,4} /.test(line));

test("the headings are exactly those of the format", () => {
  expect(headings(renderNote({ ...VIEW, metaCalls: [] }, "ja"))).toEqual([
    "# Task Note - TASK-1 - Hello",
    "## 1. 概要",
    "## 2. PRD 概要",
    "# Say hello",
    "## 3. 受け入れ条件 (Acceptance Criteria)",
    "## 4. 実行ログ (Meta / Worker)",
    "### 4.1 Meta Calls",
    "### 4.2 Worker Runs",
    "#### Run run-1 (ExitCode=1) at 2026-01-01T00:00:02.000Z - 2026-01-01T00:00:05.000Z",
    "## 5. テスト結果",
    "## 6. メモ / 残課題",
  ]);
});

test("a run without title, criteria, calls, runs and test still has a whole note", () => {
  const bare: NoteView = {
    ...VIEW,
    title: "",
    criteria: [],
    metaCalls: [],
    workerRuns: [],
    testResult: null,
    state: "COMPLETE",
  };
  const note = renderNote({ ...bare, reason: null, hint: null, risks: [], warnings: [] }, "ja");
  expect(note).toMatch(/^# Task Note - TASK-1\n\n- Task ID: TASK-1\n- Title: \n/);
  expect(note).toContain("\nテストは自動実行されませんでした。\n");
});

test("the output of a run is capped at 64 KiB, with a pointer to all of it", () => {
  const [run] = VIEW.workerRuns;
  if (!run) throw new Error("the view has a run");
  const rawOutput = `first line\n${"x".repeat(100_000)}\nlast line\n`;
  const note = renderNote(
    { ...VIEW, workerRuns: [{ ...run, rawOutput, outputLength: rawOutput.length }] },
    "en",
  );
  expect(note).not.toContain("first line");
  expect(note).toContain("last line");
  expect(note).toContain(
    "(only the last 64 KiB of the output; all of it: .agent-runner/logs/task-TASK-1-run-1.log)",
  );
  expect(note.length).toBeLessThan(75_000);
});

test("the last output of a check is shown with the criterion that it proves", () => {
  const [criterion] = VIEW.criteria;
  if (!criterion?.evidence) throw new Error("the view has evidence");
  const evidence = { ...criterion.evidence, tail: "not ok\n\n```\nexpected hello\n```\n" };
  const note = renderNote({ ...VIEW, criteria: [{ ...criterion, evidence }] }, "en");
  expect(note).toContain(
    [
      "  - Evidence: `test -f hello.txt` (exit 0, 3 ms)",
      "",
      "    ````text",
      "    not ok",
      "",
      "    ```",
      "    expected hello",
      "    ```",
      "    ````",
      "",
    ].join("\n"),
  );
});

test("a run that was stopped has a number in its heading too", () => {
  const workerRuns = VIEW.workerRuns.map((run) => ({ ...run, exitCode: null }));
  expect(renderNote({ ...VIEW, workerRuns }, "en")).toContain("#### Run run-1 (ExitCode=-1) at ");
});
