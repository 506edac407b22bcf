import { afterEach, expect, test } from "vitest";
import type { PlanOperation, PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { RunRequest } from "./ports.ts";
import { failedResult, fakeRuns, runResult } from "./testing/fake-runs.ts";
import {
  emptyPatch,
  fastClock,
  openFixture,
  type Fixture,
  type FixtureOptions,
} from "./testing/fixture.ts";

const open: Fixture[] = [];
async function fixture(options: FixtureOptions = {}): Promise<Fixture> {
  const made = await openFixture(options);
  open.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((f) => f.close()));
});

const create = (tempId: string, dependencies: string[] = []): PlanOperation => ({
  op: "create",
  tempId,
  title: tempId,
  dependencies,
});
const plan = (...operations: PlanOperation[]): PlanPatch => ({
  ...emptyPatch,
  understanding: "ok",
  operations,
});
const progress = (state: WorkspaceState): Record<string, string> =>
  Object.fromEntries(
    [...state.tasks.values()].map((task) => [state.nodes.get(task.nodeId)!.title, task.progress]),
  );
const all = (word: string) => (state: WorkspaceState) =>
  state.tasks.size > 0 && [...state.tasks.values()].every((task) => task.progress === word);

test("a sentence becomes a plan that runs to its end in dependency order, without a button", async () => {
  const f = await fixture({
    plan: () => plan(create("model"), create("page", ["model"]), create("docs", ["page"])),
  });
  await f.orchestrator.sendMessage("s1", "TODO アプリを作成して");
  const state = await f.until("every task done", all("succeeded"));
  expect(f.runs.started.map((run) => state.nodes.get(run.taskId)!.title)).toEqual([
    "model",
    "page",
    "docs",
  ]);
  expect(state.sessions.get("s1")?.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
  ]);
  expect([...state.runtimes.values()].map((runtime) => runtime.status)).toEqual([
    "verified",
    "verified",
    "verified",
  ]);
});

test("independent tasks share the slots and never exceed them", async () => {
  const f = await fixture({
    slots: 2,
    plan: () => plan(...["a", "b", "c", "d", "e"].map((id) => create(id))),
  });
  await f.orchestrator.sendMessage("s1", "five things");
  await f.until("every task done", all("succeeded"));
  expect(f.runs.peak).toBe(2);
});

test("tasks that name no files run one after the other in one working tree", async () => {
  const f = await fixture({
    slots: 4,
    parallel: "safe",
    plan: () => plan(create("a"), create("b"), create("c")),
  });
  await f.orchestrator.sendMessage("s1", "three things");
  await f.until("every task done", all("succeeded"));
  expect(f.runs.peak).toBe(1);
});

test("a failing task is tried three times and then asks a person, while other branches go on", async () => {
  const runs = fakeRuns((request) => ({
    result:
      request.taskId === "task-0001" ? failedResult(request.taskId) : runResult(request.taskId),
  }));
  const f = await fixture({
    runs,
    plan: () => plan(create("bad"), create("after", ["bad"]), create("good")),
  });
  await f.orchestrator.sendMessage("s1", "go");
  const state = await f.until(
    "the failure in the backlog",
    (s) => s.backlog.size === 1 && s.tasks.get("task-0003")?.progress === "succeeded",
  );
  expect(runs.started.filter((run) => run.taskId === "task-0001")).toHaveLength(3);
  expect(progress(state)).toEqual({ bad: "failed", after: "waiting", good: "succeeded" });
  expect([...state.backlog.values()][0]).toMatchObject({
    type: "FAILURE",
    priority: 4,
    taskId: "task-0001",
  });
});

test("retrying a failure from the backlog runs it again, and its dependants follow", async () => {
  let broken = true;
  const runs = fakeRuns((request) => ({
    result:
      broken && request.taskId === "task-0001"
        ? failedResult(request.taskId)
        : runResult(request.taskId),
  }));
  const f = await fixture({ runs, plan: () => plan(create("bad"), create("after", ["bad"])) });
  await f.orchestrator.sendMessage("s1", "go");
  const failed = await f.until("the failure", (s) => s.backlog.size === 1);
  broken = false;
  await f.orchestrator.resolveBacklog([...failed.backlog.keys()][0]!, "", "retry");
  await f.until("every task done", all("succeeded"));
});

test("a question from a run blocks only its branch; the answer reaches the next attempt", async () => {
  const runs = fakeRuns((request, nth) => ({
    result:
      nth === 0 && request.taskId === "task-0001"
        ? runResult(request.taskId, {
            status: "blocked",
            state: "NEEDS_REVIEW",
            question: { text: "Which colour?", options: ["red", "blue"] },
          })
        : runResult(request.taskId),
  }));
  const f = await fixture({ runs, plan: () => plan(create("paint"), create("other")) });
  await f.orchestrator.sendMessage("s1", "go");
  const asked = await f.until(
    "the question",
    (s) => s.backlog.size === 1 && s.tasks.get("task-0002")?.progress === "succeeded",
  );
  expect(asked.sessions.get("s1")?.messages.at(-1)?.questions[0]).toMatchObject({
    text: "Which colour?",
    options: ["red", "blue"],
  });
  await f.orchestrator.resolveBacklog([...asked.backlog.keys()][0]!, "blue");
  await f.until("every task done", all("succeeded"));
  expect(runs.started.at(-1)?.taskYaml).toContain("Which colour?\n");
  expect(runs.started.at(-1)?.taskYaml).toContain("blue");
});

test("a blocking planning question pauses execution; its answer plans again and execution resumes", async () => {
  const question = { text: "Which storage?", options: ["file"], blocking: true };
  const f = await fixture({
    plan: (request) =>
      request.answers.length > 0
        ? plan(create("store"))
        : { ...plan(create("model")), questions: [question] },
  });
  await f.orchestrator.sendMessage("s1", "build it");
  const asked = await f.until("the question", (s) => s.backlog.size === 1);
  expect(asked.execution).toMatchObject({ status: "PAUSED", pausedFor: "question" });
  expect(f.runs.started).toHaveLength(0);
  await f.orchestrator.resolveBacklog([...asked.backlog.keys()][0]!, "file");
  await f.until("both tasks done", (s) => s.tasks.size === 2 && all("succeeded")(s));
  expect(f.requests.at(-1)?.answers).toEqual([{ question: "Which storage?", answer: "file" }]);
});

test("a rate limit closes the gate for every task and uses up no attempt", async () => {
  let limited = 3;
  const clock = fastClock();
  const runs = fakeRuns((request) => {
    if (limited-- > 0)
      return {
        result: runResult(request.taskId, {
          status: "blocked",
          state: "FAILED",
          reason: "rate_limited",
          retryAt: new Date(clock.now().getTime() + 60_000).toISOString(),
        }),
      };
    return { result: runResult(request.taskId) };
  });
  const f = await fixture({
    runs,
    clock,
    slots: 3,
    plan: () => plan(...Array.from({ length: 12 }, (_, i) => create(`t${i}`))),
  });
  await f.orchestrator.sendMessage("s1", "storm");
  const state = await f.until("every task done", all("succeeded"));
  expect([...state.tasks.values()].every((task) => task.attemptCount === 1)).toBe(true);
  expect(runs.started.length).toBe(15);
});

test("stop cancels what runs, and the tasks wait again without an attempt used up", async () => {
  const runs = fakeRuns(() => "hang");
  const f = await fixture({ runs, plan: () => plan(create("long")) });
  await f.orchestrator.sendMessage("s1", "go");
  await f.until("it runs", (s) => s.index.running.size === 1);
  await f.orchestrator.sendMessage("s1", "止めて");
  const state = await f.until(
    "it is idle",
    (s) => s.execution.status === "IDLE" && s.index.running.size === 0,
  );
  expect(state.tasks.get("task-0001")).toMatchObject({ progress: "waiting", attemptCount: 0 });
  expect(runs.live.size).toBe(0);
});

test("deleting a running task cancels it and ignores its late result", async () => {
  const runs = fakeRuns(() => "hang");
  const f = await fixture({ runs, plan: () => plan(create("long")) });
  await f.orchestrator.sendMessage("s1", "go");
  await f.until("it runs", (s) => s.index.running.size === 1);
  await f.orchestrator.changePlan([{ op: "delete", taskId: "task-0001", cascade: false }]);
  await expect.poll(() => runs.live.size).toBe(0);
  expect(f.workspace.state.tasks.size).toBe(0);
});

test("a refused plan goes back to the planner once, and then the chat says why", async () => {
  const f = await fixture({ plan: () => plan(create("a", ["nowhere"])) });
  await f.orchestrator.sendMessage("s1", "go");
  const state = await f.until("the answer", (s) => s.sessions.get("s1")?.messages.length === 2);
  expect(f.requests.map((request) => request.refusal === null)).toEqual([true, false]);
  expect(state.tasks.size).toBe(0);
  expect(state.sessions.get("s1")?.messages[1]?.content).toContain("nowhere");
});

test("after a restart running attempts are heard again, and unanswered messages are planned", async () => {
  const runs = fakeRuns(() => "hang");
  const first = await openFixture({ runs, plan: () => plan(create("long")) });
  await first.orchestrator.sendMessage("s1", "go");
  await first.until("it runs", (s) => s.index.running.size === 1);
  await first.orchestrator.close({ detach: true });
  await first.workspace.commit(() => [
    {
      kind: "chat.message",
      payload: {
        message: {
          id: "m9",
          sessionId: "s1",
          role: "user",
          content: "and more",
          timestamp: new Date().toISOString(),
          generatedTasks: [],
          questions: [],
        },
      },
    },
  ]);
  await first.workspace.close();
  const again = fakeRuns((request) => ({ result: runResult(request.taskId) }));
  for (const request of runs.started) await again.start(request);
  const second = await fixture({ runs: again, at: first, plan: () => plan(create("more")) });
  const state = await second.until(
    "both tasks done",
    (s) => s.tasks.size === 2 && all("succeeded")(s),
  );
  expect(state.tasks.get("task-0001")?.startCount).toBe(1);
});

test("a stop pauses a plan that has something left, and leaves one alone that is done", async () => {
  const [left, done] = [
    fakeRuns(() => "hang"),
    fakeRuns(({ taskId }) => ({ result: runResult(taskId) })),
  ];
  const waiting = await fixture({ runs: left, plan: () => plan(create("long")) });
  await waiting.orchestrator.sendMessage("s1", "go");
  await waiting.until("it runs", (s) => s.index.running.size === 1);
  await waiting.orchestrator.close({ detach: false });
  expect(waiting.workspace.state.execution.pausedFor).toBe("shutdown");
  const finished = await fixture({ runs: done, plan: () => plan(create("short")) });
  await finished.orchestrator.sendMessage("s1", "go");
  await finished.until("it is done", all("succeeded"));
  await finished.orchestrator.close({ detach: false });
  expect(finished.workspace.state.execution).toMatchObject({ status: "RUNNING", pausedFor: null });
});

test("one missing login is one item, and resolving it frees every task it stopped", async () => {
  let loggedIn = false;
  const runs = fakeRuns((request) => ({
    result: loggedIn
      ? runResult(request.taskId)
      : runResult(request.taskId, {
          status: "blocked",
          state: "FAILED",
          reason: "login_missing",
          summary: `401 for ${request.taskId}`,
          hint: "Run `codex login`.",
        }),
  }));
  const f = await fixture({ runs, plan: () => plan(create("a"), create("b"), create("c")) });
  await f.orchestrator.sendMessage("s1", "go");
  const state = await f.until(
    "all blocked",
    (s) => s.tasks.size === 3 && [...s.tasks.values()].every((task) => task.waitingFor !== null),
  );
  expect([...state.backlog.values()].map((item) => item.type)).toEqual(["BLOCKER"]);
  expect([...state.tasks.values()].map((task) => task.attemptCount)).toEqual([0, 0, 0]);
  loggedIn = true;
  await f.orchestrator.resolveBacklog([...state.backlog.keys()][0]!, "done");
  await f.until("every task done", all("succeeded"));
});

test("a task deleted in the very moment it starts gets no process", async () => {
  const f = await fixture();
  await f.orchestrator.changePlan([create("a")]);
  const kinds: string[] = [];
  const deleted = new Promise<void>((resolve, reject) => {
    f.workspace.subscribe((facts) => {
      kinds.push(...facts.map((fact) => fact.kind));
      if (facts[0]?.kind !== "execution.started") return;
      // A few microtasks later the start is decided and shares its write with the deletion.
      void (async () => {
        for (let i = 0; i < 5; i += 1) await Promise.resolve();
        await f.orchestrator.changePlan([{ op: "delete", taskId: "task-0001", cascade: false }]);
      })().then(resolve, reject);
    });
  });
  await f.orchestrator.setExecution("start");
  await deleted;
  expect(kinds).toContain("attempt.started");
  expect([...f.workspace.state.attempts.values()].map((attempt) => attempt.status)).toEqual([
    "CANCELED",
  ]);
  expect(f.runs.started).toEqual([]);
});

test("restoring with force stops what runs, and the plan is the snapshot's again", async () => {
  const runs = fakeRuns(() => "hang");
  const f = await fixture({ runs, plan: () => plan(create("a"), create("b")) });
  await f.orchestrator.changePlan([create("before")]);
  const { id } = await f.workspace.createSnapshot();
  await f.orchestrator.sendMessage("s1", "go");
  await f.until("they run", (s) => s.index.running.size === 3);
  await expect(f.orchestrator.restoreSnapshot(id, false)).rejects.toMatchObject({
    code: "CONFLICT",
  });
  await f.orchestrator.restoreSnapshot(id, true);
  expect(progress(f.workspace.state)).toEqual({ before: "waiting" });
  expect(f.workspace.state).toMatchObject({ epoch: 1, execution: { status: "IDLE" } });
  expect(runs.live.size).toBe(0);
});

test("a stop that comes while a run is being spawned still stops it", async () => {
  const runs = fakeRuns(() => "hang");
  let spawn = (): void => {};
  const slow = {
    ...runs,
    start: async (request: RunRequest) => {
      await new Promise<void>((resolve) => (spawn = resolve));
      await runs.start(request);
    },
  };
  const f = await fixture({ runs: slow, plan: () => plan(create("a")) });
  await f.orchestrator.sendMessage("s1", "go");
  await f.until("it is recorded as started", (s) => s.index.running.size === 1);
  const stopping = f.orchestrator.setExecution("stop");
  await f.until("it is stopped", (s) => s.execution.status === "IDLE");
  spawn();
  await stopping;
  expect(f.workspace.state.tasks.get("task-0001")).toMatchObject({
    progress: "waiting",
    attemptCount: 0,
  });
});
