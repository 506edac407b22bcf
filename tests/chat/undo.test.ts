import type { WorkspaceState } from "@multiverse/protocol/state";
import { fakeRuns } from "@multiverse/orchestrator/testing/fake-runs";
import { expect, test } from "vitest";
import { allDone, converse, patch, titles } from "./planner.ts";

const progress = (state: WorkspaceState): string[] =>
  [...state.tasks.values()].map((task) => task.progress);

/** A model that does what the message says: `+A` creates A, `-1` deletes task-0001. */
const obedient = (told: string) => {
  const text = /\\"user_input\\":\\"(.*?)\\"/.exec(told)?.[1] ?? "";
  return patch({
    understanding: text,
    operations: text.startsWith("+")
      ? [{ op: "create", title: text.slice(1) }]
      : [{ op: "delete", task_id: `task-000${text.slice(1)}` }],
  });
};

test("undo in the chat takes back one change after the other, without the model, and says what", async () => {
  const chat = await converse(obedient);
  await chat.say("+A");
  await chat.say("+B");
  await chat.until("all done", (state) => state.tasks.size === 2 && allDone(state));
  await chat.say("-1");
  expect(titles(chat.workspace.state)).toEqual(["B"]);
  const asked = chat.told().length;
  const first = await chat.say("undo last change");
  expect(first).toContain("taken back");
  expect(first).toContain("- A");
  expect(titles(chat.workspace.state)).toEqual(["A", "B"]);
  const second = await chat.say("元に戻して");
  expect(second).toContain("取り消しました");
  expect(second).toContain("**削除**\n- B");
  expect(titles(chat.workspace.state)).toEqual(["A"]);
  await chat.say("undo");
  expect(titles(chat.workspace.state)).toEqual([]);
  expect(await chat.say("undo")).toContain("There is no plan change to undo.");
  expect(chat.told()).toHaveLength(asked);
});

test("a deletion taken back does not run again what was done", async () => {
  const chat = await converse(obedient);
  await chat.say("+A");
  await chat.until("done", allDone);
  await chat.say("-1");
  await chat.say("undo");
  expect(progress(chat.workspace.state)).toEqual(["succeeded"]);
  expect(chat.runs.started).toHaveLength(1);
});

test("undoing what is running stops it", async () => {
  const runs = fakeRuns(() => "hang");
  const chat = await converse(obedient, runs);
  await chat.say("+A");
  await chat.until("it runs", (state) => state.index.running.size === 1);
  await chat.say("undo");
  await chat.until("nothing runs", (state) => state.index.running.size === 0);
  expect(titles(chat.workspace.state)).toEqual([]);
  await expect.poll(() => runs.live.size).toBe(0);
});

test("after a restore only what came since can be undone", async () => {
  const chat = await converse(obedient);
  await chat.say("+A");
  await chat.until("done", allDone);
  const { id } = await chat.workspace.createSnapshot();
  await chat.say("+B");
  await chat.until("done", (state) => state.tasks.size === 2 && allDone(state));
  await chat.orchestrator.restoreSnapshot(id, false);
  expect(titles(chat.workspace.state)).toEqual(["A"]);
  expect(await chat.say("undo")).toContain("There is no plan change to undo.");
  await chat.say("+C");
  expect(titles(chat.workspace.state)).toEqual(["A", "C"]);
  await chat.say("undo");
  expect(titles(chat.workspace.state)).toEqual(["A"]);
});

test("the plan at any earlier seq is the plan as it was then", async () => {
  const chat = await converse(obedient);
  const seen: [number, string[]][] = [[chat.workspace.state.seq, []]];
  for (const text of ["+A", "+B", "-1", "undo", "+C"]) {
    await chat.say(text);
    seen.push([chat.workspace.state.seq, titles(chat.workspace.state)]);
  }
  for (const [seq, then] of seen) {
    expect(titles(await chat.workspace.stateAt(seq)), `at ${seq}`).toEqual(then);
  }
});
