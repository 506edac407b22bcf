import type { NewFact } from "@multiverse/protocol/fact";
import { after, AT, commit, create, emptyPlan } from "@multiverse/orchestrator/testing/states";
import { messageFact } from "@multiverse/orchestrator/chat/messages";
import { expect, test } from "vitest";
import { createNews } from "./news.ts";
import { answerFor } from "./take-line.ts";

const now = Date.parse(AT);
const said = (id: string, role: "user" | "assistant", content: string): NewFact =>
  messageFact({ id, sessionId: "s1", role, content, at: AT });
const asked: NewFact = {
  kind: "backlog.added",
  payload: {
    item: {
      id: "bl-1",
      taskId: null,
      type: "QUESTION",
      title: "Which?",
      description: "Which one of the two?",
      priority: 5,
      createdAt: AT,
      metadata: { options: ["red", "blue"], default: "blue" },
    },
  },
};

test("everything is told once: answers of the chat, statuses, questions and what they were answered with", () => {
  const news = createNews("s1");
  const planned = commit(after(emptyPlan, create("a")), [
    said("m1", "user", "go"),
    said("m1-re", "assistant", "Going."),
    asked,
  ]);
  expect(news(planned, now)).toEqual([
    { type: "message", text: "Going." },
    { type: "task", id: "task-0001", title: "a", status: "PENDING" },
    {
      type: "question",
      id: "bl-1",
      text: "Which one of the two?",
      options: ["red", "blue"],
      default: "blue",
    },
  ]);
  expect(news(planned, now)).toEqual([]);
  const answered = commit(planned, [
    {
      kind: "backlog.resolved",
      payload: { backlogId: "bl-1", resolution: "red", choice: "answer" },
    },
    { kind: "execution.started", payload: {} },
  ]);
  expect(news(answered, now)).toEqual([
    { type: "task", id: "task-0001", title: "a", status: "READY" },
    { type: "answer", id: "bl-1", question: "Which?", text: "red" },
  ]);
  expect(news(answered, now)).toEqual([]);
});

test("what was answered before anyone looked is no news", () => {
  const done = commit(emptyPlan, [
    asked,
    {
      kind: "backlog.resolved",
      payload: { backlogId: "bl-1", resolution: "red", choice: "answer" },
    },
  ]);
  expect(createNews("s1")(done, now)).toEqual([]);
});

const question = { id: "b", text: "?", options: ["red", "blue"], default: null };
test.each([
  ["1", "red"],
  [" 2 ", "blue"],
  ["２", "blue"],
  ["3", "3"],
  ["0", "0"],
  ["-1", "-1"],
  ["1.5", "1.5"],
  ["green, please", "green, please"],
  ["", ""],
])("%j answers %j", (line, answer) => {
  expect(answerFor(question, line)).toBe(answer);
});

test("Enter alone takes the default", () => {
  expect(answerFor({ ...question, default: "blue" }, "")).toBe("blue");
});
