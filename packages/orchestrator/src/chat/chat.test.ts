import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { MultiverseError } from "@multiverse/protocol/error";
import type { PlanOperation, PlanPatch } from "@multiverse/protocol/plan-patch";
import type { PlanRequest } from "@multiverse/protocol/plan-request";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { TaskFile } from "@multiverse/protocol/task-file";
import { fakeRuns, runResult } from "../testing/fake-runs.ts";
import { emptyPatch, openFixture, type Fixture, type FixtureOptions } from "../testing/fixture.ts";

const open: Fixture[] = [];
async function fixture(options: FixtureOptions = {}): Promise<Fixture> {
  const made = await openFixture(options);
  open.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((f) => f.close()));
});

const create = (title: string): PlanOperation => ({ op: "create", title });
const plan = (...operations: PlanOperation[]): PlanPatch => ({ ...emptyPatch, operations });
const ask = (text: string, more = {}) => ({ text, options: [], blocking: true, ...more });
const messages = (state: WorkspaceState) => state.sessions.get("s1")?.messages ?? [];
const lastWords = (state: WorkspaceState) => messages(state).at(-1)?.content ?? "";
const openItem = (state: WorkspaceState) =>
  [...state.backlog.values()].find((item) => item.resolvedAt === null)?.id ?? "";
const steps = (f: Fixture) =>
  f.signals.flatMap((signal) => (signal.signal === "chat:progress" ? [signal.data.step] : []));

/** A planner that answers only when it is given up, as one that hangs would. */
const hangs = (_: PlanRequest, signal: AbortSignal): Promise<PlanPatch> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("socket closed")));
  });

test("the steps of a turn are told as they happen", async () => {
  const f = await fixture({ plan: () => plan(create("a")) });
  await f.orchestrator.sendMessage("s1", "go");
  await f.until("the answer", (s) => messages(s).length === 2);
  await expect
    .poll(() => steps(f))
    .toEqual([
      "Processing",
      "PlanPatching",
      "Persisting",
      "AutopilotStartingExecution",
      "AutopilotScheduling",
      "Completed",
    ]);
});

test("the same message sent twice by a retry is planned once", async () => {
  const f = await fixture({ plan: () => plan(create("a")) });
  const first = await f.orchestrator.sendMessage("s1", "go", "client-1");
  const again = await f.orchestrator.sendMessage("s1", "go", "client-1");
  await f.until("the answer", (s) => messages(s).length === 2);
  const later = await f.orchestrator.sendMessage("s1", "go", "client-1");
  expect([again.messageId, later.messageId]).toEqual([first.messageId, first.messageId]);
  expect(f.requests).toHaveLength(1);
  expect(f.workspace.state.tasks.size).toBe(1);
});

test.each(["止めて", "stop"])(
  "%s gives up what is being planned, and the plan stays",
  async (word) => {
    const f = await fixture({ plan: hangs });
    await f.orchestrator.sendMessage("s1", "build a castle");
    await expect.poll(() => f.requests.length).toBe(1);
    await f.orchestrator.sendMessage("s1", "and a moat");
    await f.orchestrator.sendMessage("s1", word);
    const state = await f.until("three answers", (s) => messages(s).length === 6);
    const said = messages(state).map((message) => message.content);
    expect(said.filter((text) => text.includes("Planning was stopped"))).toHaveLength(2);
    expect(state.tasks.size).toBe(0);
    expect(state.execution.status).toBe("IDLE");
    expect(f.requests).toHaveLength(1);
  },
);

test("a turn that takes longer than 15 minutes is given up; the plan stays, and the next message is planned", async () => {
  const f = await fixture({
    plan: (request, signal) =>
      request.userInput === "slow" ? hangs(request, signal) : plan(create("quick")),
  });
  await f.orchestrator.sendMessage("s1", "slow");
  await f.orchestrator.sendMessage("s1", "quick");
  const state = await f.until("both answers", (s) => messages(s).length === 4);
  const said = messages(state).map((message) => message.content);
  expect(said.filter((text) => text.includes("did not answer in time"))).toHaveLength(1);
  expect(state.tasks.size).toBe(1);
});

test("a plan that comes back after a stop changes nothing", async () => {
  let give: (patch: PlanPatch) => void = () => {};
  const f = await fixture({ plan: () => new Promise<PlanPatch>((resolve) => (give = resolve)) });
  await f.orchestrator.sendMessage("s1", "build");
  await expect.poll(() => f.requests.length).toBe(1);
  await f.orchestrator.setExecution("stop");
  give(plan(create("late")));
  const state = await f.until("the answer", (s) => messages(s).length === 2);
  expect(state.tasks.size).toBe(0);
  expect(f.runs.started).toHaveLength(0);
});

test("a blocking question pauses a running plan; the answer plans again and it resumes by itself", async () => {
  const runs = fakeRuns(() => "hang");
  const f = await fixture({
    runs,
    slots: 1,
    plan: ({ userInput, answers }) => {
      if (userInput === "start") return plan(create("one"), create("two"));
      return answers.length > 0
        ? plan(create("three"))
        : { ...emptyPatch, questions: [ask("Which colour?")] };
    },
  });
  await f.orchestrator.sendMessage("s1", "start");
  await f.until("it runs", (s) => s.index.running.size === 1);
  await f.orchestrator.sendMessage("s1", "paint it");
  const paused = await f.until("the question", (s) => s.backlog.size === 1);
  expect(paused.execution).toMatchObject({ status: "PAUSED", pausedFor: "question" });
  expect(runs.live.size).toBe(1);
  await f.orchestrator.resolveBacklog(openItem(paused), "red");
  const state = await f.until("it goes on", (s) => s.execution.status === "RUNNING");
  expect([...state.nodes.values()].map((node) => node.title)).toContain("three");
  expect(f.requests.at(-1)).toMatchObject({
    userInput: "paint it",
    answers: [{ question: "Which colour?", answer: "red" }],
  });
});

test("when planning with the answer fails, execution still resumes and the chat says why", async () => {
  const f = await fixture({
    runs: fakeRuns(() => "hang"),
    plan: ({ userInput, answers }) => {
      if (userInput === "start") return plan(create("one"));
      if (answers.length === 0) return { ...emptyPatch, questions: [ask("Which colour?")] };
      throw new MultiverseError("META_UNAVAILABLE", "The model is down.", { hint: "Wait." });
    },
  });
  await f.orchestrator.sendMessage("s1", "start");
  await f.until("it runs", (s) => s.index.running.size === 1);
  await f.orchestrator.sendMessage("s1", "paint it");
  const paused = await f.until("the pause", (s) => s.execution.pausedFor === "question");
  await f.orchestrator.resolveBacklog(openItem(paused), "red");
  const state = await f.until("it goes on", (s) => s.execution.status === "RUNNING");
  expect(lastWords(state)).toContain("The model is down.");
  expect(lastWords(state)).toContain("Wait.");
});

test("two blocking questions: the plan waits for both", async () => {
  const f = await fixture({
    plan: ({ answers }) =>
      answers.length === 2
        ? plan(create("done"))
        : { ...emptyPatch, questions: [ask("Colour?"), ask("Size?")] },
  });
  await f.orchestrator.sendMessage("s1", "paint");
  const asked = await f.until("the questions", (s) => s.backlog.size === 2);
  await f.orchestrator.resolveBacklog(openItem(asked), "red");
  expect(f.requests).toHaveLength(1);
  await f.orchestrator.resolveBacklog(openItem(f.workspace.state), "large");
  await f.until("the plan", (s) => s.tasks.size === 1);
});

test("a question that does not block lets the plan run; its answer is there for the next message", async () => {
  const f = await fixture({
    plan: ({ answers }) =>
      answers.length > 0
        ? emptyPatch
        : { ...plan(create("a")), questions: [ask("Colour?", { blocking: false })] },
  });
  await f.orchestrator.sendMessage("s1", "go");
  const asked = await f.until("it ran", (s) => s.tasks.get("task-0001")?.progress === "succeeded");
  await f.orchestrator.resolveBacklog(openItem(asked), "red");
  expect(f.requests).toHaveLength(1);
  await f.orchestrator.sendMessage("s1", "more");
  await expect
    .poll(() => f.requests.at(-1)?.answers)
    .toEqual([{ question: "Colour?", answer: "red" }]);
});

test("unattended, a question with a default answers itself after a while", async () => {
  const f = await fixture({
    defaultAnswerMs: () => 60_000,
    plan: ({ answers }) =>
      answers.length > 0
        ? plan(create("painted"))
        : { ...emptyPatch, questions: [ask("Colour?", { default: "blue" })] },
  });
  await f.orchestrator.sendMessage("s1", "paint");
  const state = await f.until("the plan", (s) => s.tasks.size === 1);
  expect([...state.backlog.values()][0]).toMatchObject({ resolution: "blue" });
  expect(messages(state).some((m) => m.content === "Colour?\n→ blue")).toBe(true);
});

test("a question without a default waits for a person, however long", async () => {
  const f = await fixture({
    defaultAnswerMs: () => 1_000,
    plan: ({ userInput }) =>
      userInput === "go"
        ? { ...emptyPatch, questions: [ask("Colour?"), ask("Size?", { default: "large" })] }
        : emptyPatch,
  });
  await f.orchestrator.sendMessage("s1", "go");
  const state = await f.until("one answer", (s) =>
    [...s.backlog.values()].some((item) => item.resolution === "large"),
  );
  expect(state.backlog.get(openItem(state))?.title).toBe("Colour?");
});

test("a question is left to the person when a real agent was chosen while it waited for its default", async () => {
  let looks = 0;
  const f = await fixture({
    defaultAnswerMs: () => (++looks === 1 ? null : looks === 2 ? 60_000 : null),
    plan: ({ userInput }) =>
      userInput === "go"
        ? { ...emptyPatch, questions: [ask("Colour?", { default: "blue" })] }
        : emptyPatch,
  });
  await f.orchestrator.sendMessage("s1", "go");
  await expect.poll(() => looks).toBe(3);
  await f.orchestrator.sendMessage("s1", "and then?");
  const state = await f.until("the next answer", (s) => messages(s).length >= 4);
  expect(state.backlog.get(openItem(state))?.title).toBe("Colour?");
});

test("a pause by a person is not lifted by a plan", async () => {
  const f = await fixture({ plan: () => plan(create("a")), runs: fakeRuns(() => "hang") });
  await f.orchestrator.sendMessage("s1", "go");
  await f.until("it runs", (s) => s.index.running.size === 1);
  await f.orchestrator.setExecution("pause");
  await f.orchestrator.sendMessage("s1", "more");
  const state = await f.until("the second plan", (s) => s.tasks.size === 2);
  expect(state.execution).toMatchObject({ status: "PAUSED", pausedFor: "person" });
});

test("deleting the question lifts its pause too", async () => {
  const f = await fixture({
    runs: fakeRuns(() => "hang"),
    plan: ({ userInput }) =>
      userInput === "start"
        ? plan(create("one"))
        : { ...emptyPatch, questions: [ask("Which colour?")] },
  });
  await f.orchestrator.sendMessage("s1", "start");
  await f.until("it runs", (s) => s.index.running.size === 1);
  await f.orchestrator.sendMessage("s1", "paint it");
  const paused = await f.until("the pause", (s) => s.execution.pausedFor === "question");
  await f.orchestrator.deleteBacklog(openItem(paused));
  expect(f.workspace.state.execution.status).toBe("RUNNING");
});

test("a model that fails leaves the plan as it was, in the language of the message", async () => {
  const f = await fixture({
    plan: () => {
      throw new MultiverseError("LOGIN_MISSING", "codex is not logged in.", {
        hint: "Run `codex login`.",
      });
    },
  });
  await f.orchestrator.sendMessage("s1", "TODO アプリを作成して");
  const state = await f.until("the answer", (s) => messages(s).length === 2);
  expect(lastWords(state)).toContain("計画は元のままです");
  expect(lastWords(state)).toContain("codex login");
  expect(steps(f)).toContain("Failed");
});

test("from a sentence to a valid Task YAML: id, title, repo, PRD with criteria, loops and worker", async () => {
  const sentence = "TODO アプリを作成して";
  const runs = fakeRuns((request) => ({ result: runResult(request.taskId) }));
  const f = await fixture({
    runs,
    plan: () =>
      plan({ op: "create", title: sentence, acceptanceCriteria: ["a todo can be added"] }),
  });
  await f.orchestrator.sendMessage("s1", sentence);
  const state = await f.until("it ran", (s) => s.tasks.get("task-0001")?.progress === "succeeded");
  const { task, runner } = TaskFile.parse(parse(runs.started[0]?.taskYaml ?? ""));
  expect(task).toMatchObject({ id: [...state.tasks.keys()][0], repo: "." });
  expect(task.title).toContain(sentence);
  expect(task.prd.text).toContain(sentence);
  expect(task.prd.text).toContain("a todo can be added");
  expect(runner.max_loops).toBe(5);
  expect(runner.worker.kind).toBe("mock");
});
