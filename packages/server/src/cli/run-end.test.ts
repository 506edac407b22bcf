import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { messageFact } from "@multiverse/orchestrator/chat/messages";
import {
  after,
  AT,
  commit,
  create,
  emptyPlan,
  started,
} from "@multiverse/orchestrator/testing/states";
import { expect, test } from "vitest";
import { endOf, isPlanning } from "./run-end.ts";

const now = Date.parse(AT);
const said = (id: string, role: "user" | "assistant"): NewFact =>
  messageFact({ id, sessionId: "s1", role, content: "x", at: AT });
const asked = commit(emptyPlan, [said("m1", "user")]);
const answered = commit(asked, [said("m1-re", "assistant")]);
const planned = after(answered, create("a"));
const running = commit(planned, [{ kind: "execution.started", payload: {} }]);
const done = commit(running, [
  { kind: "task.succeeded", payload: { taskId: "task-0001", attemptId: "att-1" } },
]);
const failed = commit(running, [
  {
    kind: "task.failed",
    payload: { taskId: "task-0001", attemptId: null, reason: null, error: "e" },
  },
]);
const question: NewFact = {
  kind: "backlog.added",
  payload: {
    item: {
      id: "bl-1",
      taskId: null,
      type: "QUESTION",
      title: "Which?",
      description: "",
      priority: 5,
      createdAt: AT,
      metadata: {},
    },
  },
};
const withDefault = structuredClone(question);
if (withDefault.kind === "backlog.added") withDefault.payload.item.metadata["default"] = "red";
const shutdown: NewFact = { kind: "execution.paused", payload: { reason: "shutdown" } };
const alone = { forAnswers: false, forDefaults: false, planningFailed: false };
const watched = { ...alone, forAnswers: true };
const demo = { ...alone, forDefaults: true };

test.each<[string, WorkspaceState, typeof alone, number | null]>([
  ["nothing was said yet", emptyPlan, alone, null],
  ["the planner thinks", asked, alone, null],
  ["the planner made no task", answered, alone, 1],
  ["tasks were stopped", planned, alone, 1],
  ["a task can run", running, alone, null],
  ["a task runs", started(running, "task-0001"), alone, null],
  ["every task succeeded", done, alone, 0],
  ["a task failed", failed, alone, 1],
  ["the plan is done but the message was not planned", done, { ...alone, planningFailed: true }, 1],
  ["an earlier server was stopped", commit(planned, [shutdown]), alone, null],
  ["a question is open and nobody is there", commit(done, [question]), alone, 0],
  ["a question without a default is open in a demo", commit(done, [question]), demo, 0],
  ["a question with a default is open in a demo", commit(done, [withDefault]), demo, null],
  ["a question with a default is open elsewhere", commit(planned, [withDefault]), alone, 1],
  ["a question is open and someone is there", commit(done, [question]), watched, null],
  ["a second message is being planned", commit(done, [said("m2", "user")]), alone, null],
])("when %s", (_, state, waits, code) => {
  expect(endOf(state, "s1", waits, now)).toBe(code);
});

test("planning is over when every message of the session has its answer", () => {
  expect(isPlanning(asked, "s1")).toBe(true);
  expect(isPlanning(answered, "s1")).toBe(false);
});

test("a pause whose question is answered means that the answer is being planned with", () => {
  const pause: NewFact = { kind: "execution.paused", payload: { reason: "question" } };
  expect(isPlanning(commit(answered, [pause]), "s1")).toBe(true);
});
