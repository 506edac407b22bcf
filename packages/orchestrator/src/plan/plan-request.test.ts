import { expect, test } from "vitest";
import type { NewFact } from "@multiverse/protocol/fact";
import { loadState, saveState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { messageFact } from "../chat/messages.ts";
import { after, AT, commit, create, emptyPlan, planOf, started } from "../testing/states.ts";
import { atOnce } from "../store/give-way.ts";
import { planRequest } from "./plan-request.ts";

const now = Date.parse(AT);
const input = { userInput: "go", sessionId: "s1", messageId: "m-now", now, refusal: null };
const request = (state: WorkspaceState, more: Partial<typeof input> = {}) =>
  atOnce(planRequest(state, { ...input, ...more }));

const said = (id: string, content: string, sessionId = "s1"): NewFact =>
  messageFact({ id, sessionId, role: "user", content, at: AT });

test("shows tasks and tree as the spec names them", () => {
  const state = after(
    emptyPlan,
    create("a", { tempId: "a", phaseName: "実装", milestone: "M1" }),
    create("b", { parentId: "a", dependencies: ["a"] }),
  );
  expect(request(state)).toEqual({
    userInput: "go",
    context: { workspacePath: "/p" },
    existingTasks: [
      {
        id: "task-0001",
        title: "a",
        status: "PENDING",
        dependencies: [],
        phaseName: "実装",
        milestone: "M1",
        wbsLevel: 3,
        parentId: "node-root",
      },
      {
        id: "task-0002",
        title: "b",
        status: "PENDING",
        dependencies: ["task-0001"],
        phaseName: "",
        milestone: "",
        wbsLevel: 0,
        parentId: "task-0001",
      },
    ],
    existingWbs: {
      rootNodeId: "node-root",
      nodeIndex: [
        { nodeId: "node-root", parentId: null, children: ["task-0001"] },
        { nodeId: "task-0001", parentId: "node-root", children: ["task-0002"] },
        { nodeId: "task-0002", parentId: "task-0001", children: [] },
      ],
    },
    conversationHistory: [],
    answers: [],
    refusal: null,
  });
});

test("the most pressing tasks come first, then ids ascending", () => {
  const plan = planOf({
    done: [],
    run: [],
    wait: [],
    fail: [],
    ask: [],
    ready: [],
    next: ["wait"],
  });
  const taskIds = ["task-0001", "task-0002", "task-0003", "task-0004", "task-0005"] as const;
  const [done, run, wait, fail, ask] = taskIds;
  const retryAt = new Date(now + 60_000).toISOString();
  const state = commit(started(plan, run), [
    { kind: "execution.started", payload: {} },
    { kind: "task.succeeded", payload: { taskId: done, attemptId: "att-x" } },
    {
      kind: "task.retry_scheduled",
      payload: { taskId: wait, retryAt, reason: "", cause: "failure" },
    },
    { kind: "task.failed", payload: { taskId: fail, attemptId: null, reason: null, error: "e" } },
    { kind: "task.blocked", payload: { taskId: ask, backlogId: "bl-1" } },
  ]);
  expect(request(state).existingTasks.map(({ title, status }) => `${title} ${status}`)).toEqual([
    "run RUNNING",
    "ask BLOCKED",
    "wait RETRY_WAIT",
    "ready READY",
    "next PENDING",
    "fail FAILED",
    "done SUCCEEDED",
  ]);
});

const large = after(
  emptyPlan,
  ...Array.from({ length: 10_000 }, (_, i) =>
    create(`t${i}`, {
      tempId: `t${i}`,
      ...(i % 7 === 0 ? {} : { parentId: `t${i - (i % 7)}` }),
      ...(i > 100 ? { dependencies: [`t${i - 100}`] } : {}),
    }),
  ),
);

test("a plan of 10,000 tasks is cut to 200 tasks and 200 nodes, the same each time", () => {
  const one = request(large);
  expect(one.existingTasks).toHaveLength(200);
  expect(one.existingWbs.nodeIndex).toHaveLength(200);
  const again = request(loadState(saveState(large)));
  expect(JSON.stringify(again)).toBe(JSON.stringify(one));
});

test("the cut tree names no child that it does not show", () => {
  const { nodeIndex } = request(large).existingWbs;
  const shown = new Set(nodeIndex.map((node) => node.nodeId));
  for (const { children } of nodeIndex) for (const id of children) expect(shown).toContain(id);
});

test("a deep tree is shown breadth first from the root", () => {
  const deep = after(
    emptyPlan,
    ...Array.from({ length: 500 }, (_, i) =>
      create(`d${i}`, { tempId: `d${i}`, ...(i === 0 ? {} : { parentId: `d${i - 1}` }) }),
    ),
    create("shallow"),
  );
  const ids = request(deep).existingWbs.nodeIndex.map((node) => node.nodeId);
  expect(ids).toHaveLength(200);
  expect(ids.slice(0, 4)).toEqual(["node-root", "task-0001", "task-0501", "task-0002"]);
});

test("the last 10 messages are shown, without the one being answered and those of other sessions", () => {
  const facts = Array.from({ length: 15 }, (_, i) => said(`m${i}`, `message ${i}`));
  const state = commit(emptyPlan, [...facts, said("x", "elsewhere", "s2"), said("m-now", "go")]);
  expect(request(state).conversationHistory.map(({ content }) => content)).toEqual(
    Array.from({ length: 10 }, (_, i) => `message ${i + 5}`),
  );
});

test.each([
  ["emoji", "🚀"],
  ["Japanese", "漢"],
  ["kanji outside the basic plane", "𠮷"],
])("a message of 400 %s is cut to 300 whole characters", (_, character) => {
  const state = commit(emptyPlan, [said("m1", character.repeat(400))]);
  const [cut] = request(state).conversationHistory;
  expect(cut?.content).toBe(character.repeat(300));
});

test("a message of exactly 300 characters stays whole", () => {
  const state = commit(emptyPlan, [said("m1", "🚀".repeat(300))]);
  expect(request(state).conversationHistory[0]?.content).toBe("🚀".repeat(300));
});

const question = (id: string, source: string): NewFact => ({
  kind: "backlog.added",
  payload: {
    item: {
      id,
      taskId: null,
      type: "QUESTION",
      title: `${id}?`,
      description: "",
      priority: 5,
      createdAt: AT,
      metadata: { source },
    },
  },
});
const answer = (backlogId: string, resolution: string): NewFact => ({
  kind: "backlog.resolved",
  payload: { backlogId, resolution, choice: "answer" },
});

test("answers to the planner's own questions are shown oldest first; open ones and those of runs are not", () => {
  const asked = commit(emptyPlan, [
    question("b1", "planning"),
    question("b2", "planning"),
    question("b3", "run"),
    question("b4", "planning"),
  ]);
  const first = commit(asked, [answer("b2", "two")], { at: "2026-01-01T00:00:01.000Z" });
  const state = commit(first, [answer("b1", "one"), answer("b3", "three")], {
    at: "2026-01-01T00:00:02.000Z",
  });
  expect(request(state).answers).toEqual([
    { question: "b2?", answer: "two" },
    { question: "b1?", answer: "one" },
  ]);
});
