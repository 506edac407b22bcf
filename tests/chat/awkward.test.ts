import type { WorkspaceState } from "@multiverse/protocol/state";
import { fakeRuns } from "@multiverse/orchestrator/testing/fake-runs";
import { expect, test } from "vitest";
import { converse, patch } from "./planner.ts";
import { transcript } from "./transcript.ts";

/** Four tasks that never end, so that the plan stands still while it is talked about. */
const shop = {
  understanding: "A small shop.",
  operations: [
    { op: "create", temp_id: "model", title: "Model the goods" },
    { op: "create", temp_id: "page", title: "Make the page", dependencies: ["model"] },
    { op: "create", temp_id: "docs", title: "Write the docs", dependencies: ["page"] },
    { op: "create", temp_id: "pdf", title: "Print the docs as PDF", dependencies: ["docs"] },
    { op: "create", temp_id: "tests", title: "Test the page", dependencies: ["page"] },
  ],
};

interface Case {
  readonly name: string;
  readonly said: string;
  /** What a planner that keeps to its instructions answers. */
  readonly answer: object;
}

const CASES: readonly Case[] = [
  {
    name: "vague",
    said: "Make it nicer",
    answer: {
      understanding:
        "I take this to mean the look of the page: one consistent style, nothing else.",
      operations: [
        {
          op: "create",
          temp_id: "style",
          title: "Give the page one consistent style",
          acceptance_criteria: ["The page has one style sheet (check: `test -s style.css`)"],
          dependencies: ["task-0002"],
        },
      ],
    },
  },
  {
    name: "contradictory",
    said: "Keep the goods in PostgreSQL, but nothing may be installed",
    answer: {
      understanding: "Both cannot be had; nothing is planned before you say which matters more.",
      questions: [
        {
          text: "PostgreSQL has to be installed somewhere. Which matters more?",
          options: ["PostgreSQL", "No installation: a file"],
          blocking: true,
        },
      ],
    },
  },
  {
    name: "delete everything about",
    said: "Delete everything about the docs",
    answer: {
      understanding: "The docs and their PDF go.",
      operations: [
        { op: "delete", task_id: "task-0003", cascade: true },
        { op: "delete", task_id: "task-0004", cascade: true },
      ],
    },
  },
  {
    name: "reorder",
    said: "Tests first, then the page",
    answer: {
      understanding: "The tests are written before the page, and the page waits for them.",
      operations: [
        { op: "update", task_id: "task-0005", dependencies: ["task-0001"] },
        { op: "update", task_id: "task-0002", dependencies: ["task-0001", "task-0005"] },
        { op: "move", task_id: "task-0005", position: { before: "task-0002" } },
      ],
    },
  },
  {
    name: "a question instead of a task",
    said: "What are you working on?",
    answer: { understanding: "On the model of the goods; four tasks wait for it.", operations: [] },
  },
  {
    name: "already planned",
    said: "And test the page, please",
    answer: { understanding: "“Test the page” is already planned.", operations: [] },
  },
  {
    name: "a correction",
    said: "Not a page, an app",
    answer: {
      understanding: "The page becomes an app; its tests follow.",
      operations: [
        { op: "update", task_id: "task-0002", title: "Make the app" },
        { op: "update", task_id: "task-0005", title: "Test the app" },
      ],
    },
  },
  {
    name: "thanks, in Japanese",
    said: "ありがとう!",
    answer: { understanding: "どういたしまして。", operations: [] },
  },
];

const before = ["task-0001", "task-0002", "task-0003", "task-0004", "task-0005"];
const ids = (state: WorkspaceState): string[] =>
  [...(state.nodes.get("node-root")?.children ?? [])].toSorted();

async function talkOf({ said, answer }: Case) {
  const answered = patch(answer);
  const chat = await converse(
    (_, index) => (index === 0 ? patch(shop) : answered),
    fakeRuns(() => "hang"),
  );
  await chat.say("make a shop");
  await chat.until("it runs", (state) => state.index.running.size === 1);
  const reply = await chat.say(said);
  const told = chat.told()[1] ?? "";
  return {
    chat,
    reply,
    text: transcript(chat, { said, told, answer: answered.text ?? "", reply }),
  };
}

test.each(CASES)("$name: what is shown, answered, said and planned", async (each) => {
  const { chat, text } = await talkOf(each);
  const file = each.name.replace(/\W+/g, "-");
  await expect(`# ${each.name}\n\n${text}`).toMatchFileSnapshot(`awkward/${file}.md`);
  expect(chat.told()).toHaveLength(2);
});

const find = (name: string): Case => CASES.find((each) => each.name === name)!;

test("what the message is not about stays as it is", async () => {
  const { chat } = await talkOf(find("delete everything about"));
  expect(ids(chat.workspace.state)).toEqual(["task-0001", "task-0002", "task-0005"]);
  expect([...chat.workspace.state.index.running]).toEqual(["task-0001"]);
});

test.each(["a question instead of a task", "already planned", "thanks, in Japanese"])(
  "%s leaves the plan alone and says so in its language",
  async (name) => {
    const { chat, reply } = await talkOf(find(name));
    expect(ids(chat.workspace.state)).toEqual(before);
    expect(reply).toMatch(/The plan stays as it is\.|計画はそのままです。/);
  },
);

test("a contradiction pauses what could go wrong and asks with choices", async () => {
  const { chat } = await talkOf(find("contradictory"));
  expect(chat.workspace.state.execution.pausedFor).toBe("question");
  expect([...chat.workspace.state.backlog.values()]).toMatchObject([
    { metadata: { options: ["PostgreSQL", "No installation: a file"] } },
  ]);
});
