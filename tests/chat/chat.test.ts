import { expect, test } from "vitest";
import { fakeRuns } from "@multiverse/orchestrator/testing/fake-runs";
import type { ScriptedAnswer } from "../harness/scripted-openai.ts";
import { allDone, converse, patch, titles } from "./planner.ts";

const newPlan = patch({
  understanding: "A TODO application.",
  operations: [
    { op: "create", temp_id: "model", title: "Model", acceptance_criteria: ["todos are kept"] },
    { op: "create", temp_id: "page", title: "Page", dependencies: ["model"] },
    { op: "create", temp_id: "docs", title: "Docs", dependencies: ["page"] },
    { op: "create", temp_id: "tests", title: "Tests", dependencies: ["page"] },
  ],
});

test("a sentence becomes a plan that runs to its end without a button", async () => {
  const chat = await converse(() => newPlan);
  const reply = await chat.say("TODO アプリを作成して");
  expect(reply).toContain("A TODO application.");
  expect(reply).toContain("- Model");
  const state = await chat.until("all done", allDone);
  expect(titles(state)).toEqual(["Model", "Page", "Docs", "Tests"]);
  expect(chat.told()).toHaveLength(1);
  expect(chat.told()[0]).toContain("TODO アプリを作成して");
});

test("a change is a difference: the model sees the plan, and nothing is doubled", async () => {
  const chat = await converse((told) =>
    told.includes("remove the docs")
      ? patch({
          operations: [
            { op: "delete", task_id: "task-0003" },
            { op: "move", task_id: "task-0004", position: { before: "task-0002" } },
          ],
        })
      : newPlan,
  );
  await chat.say("make a TODO app");
  await chat.until("all done", allDone);
  const reply = await chat.say("remove the docs tasks and do tests first");
  expect(chat.told()[1]).toContain("task-0003");
  expect(reply).toContain("Docs");
  expect(titles(chat.workspace.state)).toEqual(["Model", "Tests", "Page"]);
  expect(chat.runs.started).toHaveLength(4);
});

test("a blocking question pauses; its answer reaches the model and the plan goes on", async () => {
  const chat = await converse((told) =>
    told.includes("blue, please")
      ? patch({ operations: [{ op: "create", title: "Paint it blue" }] })
      : patch({ questions: [{ text: "Which colour?", options: ["red", "blue"], blocking: true }] }),
  );
  await chat.say("paint the page");
  const [item] = chat.workspace.state.backlog.values();
  expect(item).toMatchObject({ type: "QUESTION", title: "Which colour?" });
  expect(chat.runs.started).toHaveLength(0);
  await chat.orchestrator.resolveBacklog(item?.id ?? "", "blue, please");
  const state = await chat.until("all done", allDone);
  expect(titles(state)).toEqual(["Paint it blue"]);
});

test("止めて stops what runs, without asking the model", async () => {
  const runs = fakeRuns(() => "hang");
  const chat = await converse(() => newPlan, runs);
  await chat.say("make a TODO app");
  await chat.until("it runs", (state) => state.index.running.size === 1);
  const before = performance.now();
  await chat.say("止めて");
  expect(performance.now() - before).toBeLessThan(15_000);
  expect(runs.live.size).toBe(0);
  expect(chat.workspace.state.execution.status).toBe("IDLE");
  expect(chat.told()).toHaveLength(1);
});

const FAULTS: [string, ScriptedAnswer, RegExp][] = [
  ["down", { status: 503, body: "no" }, /503|unavailable|could not|cannot/i],
  ["slow", { hang: true }, /time|answer/i],
  ["answering garbage", { text: "I would rather talk about the weather." }, /answer/i],
  ["refusing the key", { status: 401, body: "{}" }, /key|401/i],
  ["cut off", { text: '{"type":"plan_patch"', cutAfterBytes: 20 }, /could not|cannot|answer/i],
];

test.each(FAULTS)(
  "a model that is %s leaves the plan as it was and says why",
  async (_, fault, why) => {
    const chat = await converse((told) => (told.includes("and a dark mode") ? fault : newPlan));
    await chat.say("make a TODO app");
    const before = titles(await chat.until("all done", allDone));
    const reply = await chat.say("and a dark mode");
    expect(reply).toContain("so it is as it was");
    expect(reply).toMatch(why);
    expect(titles(chat.workspace.state)).toEqual(before);
  },
);

test("a plan that breaks the rules goes back to the model with the reason, once", async () => {
  const cyclic = patch({
    operations: [
      { op: "create", temp_id: "a", title: "A", dependencies: ["b"] },
      { op: "create", temp_id: "b", title: "B", dependencies: ["a"] },
    ],
  });
  const chat = await converse((told) => (told.includes("form a cycle") ? newPlan : cyclic));
  await chat.say("make a TODO app");
  expect(chat.told()).toHaveLength(2);
  await chat.until("all done", allDone);
  expect(chat.workspace.state.tasks.size).toBe(4);
});
