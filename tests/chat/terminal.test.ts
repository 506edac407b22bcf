import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { screenOf } from "@multiverse/server/testing/screen";
import {
  clientOf,
  endProcess,
  finish,
  makePlace,
  workspaceOf,
  type Place,
} from "../server/program.ts";
import { atTerminal, CTRL_C } from "./typed.ts";

/** One task and a question before it: the shortest story that has everything. */
const SCRIPT = `
version: 1
plans:
  - match: paint|塗
    existing: Paint|塗る
    answer: { understanding: Then I will go on. }
  - match: paint|塗
    answer:
      understanding: { en: I will paint it., ja: 塗ります。 }
      operations:
        - { op: create, title: { en: Paint the fence around the whole garden, ja: 庭のまわりの塀をぜんぶ塗る } }
      questions:
        - text: { en: Which colour should it be?, ja: 何色にしますか? }
          options: [{ en: red, ja: 赤 }, { en: blue, ja: 青 }]
          blocking: true
  - match: '[\\s\\S]'
    answer: { understanding: Nothing to do. }
tasks:
  - match: Paint|塗
    goal: Paint it.
    acceptance_criteria: [{ description: it is painted, check: test -s fence.txt }]
    runs: [{ files: { fence.txt: painted } }]
`;

let place: Place;
beforeEach(async () => {
  place = await makePlace();
  await playScript(SCRIPT);
});
afterEach(() => place.remove());

async function playScript(text: string): Promise<void> {
  const script = join(place.root, "script.yaml");
  await writeFile(script, text);
  place.env["MULTIVERSE_MOCK_SCRIPT"] = script;
}

const run = (sentence: string, ...more: string[]): string[] => [
  "run",
  sentence,
  "--demo",
  "--project",
  place.project,
  ...more,
];

const lastRow = (output: string, columns: number): string =>
  screenOf(output, columns)
    .filter((row) => row.trim() !== "")
    .at(-1) ?? "";

test("a question is answered by typing its number, and the run ends by itself", async () => {
  const terminal = atTerminal(place, 60, run("paint"));
  await terminal.shows(/answer> /);
  terminal.type("2\r");
  await terminal.shows(/→ blue/);
  expect(await terminal.exit, terminal.output()).toBe(0);
  const rows = screenOf(terminal.output(), 60).filter((row) => row.startsWith("✓"));
  expect(rows).toEqual(["✓ SUCCEEDED  Paint the fence around the whole garden"]);
  expect(lastRow(terminal.output(), 60)).toBe("1 task: 1 succeeded");
}, 60_000);

test("in a narrow window every line fits, also in Japanese, and an empty line is no answer", async () => {
  const terminal = atTerminal(place, 30, run("塗って"));
  await terminal.shows(/answer> /);
  terminal.type("\r\r1\r");
  await terminal.shows(/→ 赤/);
  expect(await terminal.exit, terminal.output()).toBe(0);
  const rows = screenOf(terminal.output(), 30).filter((row) => row.startsWith("✓"));
  expect(rows).toEqual(["✓ SUCCEEDED  庭のまわりの塀…"]);
}, 60_000);

test("what is typed without a question goes to the chat, also right behind an answer", async () => {
  const terminal = atTerminal(place, 80, run("paint"));
  await terminal.shows(/answer> /);
  terminal.type("1\rstatus\r");
  await terminal.shows(/Execution/);
  expect(await terminal.exit, terminal.output()).toBe(0);
}, 60_000);

test("Ctrl-C while a question is open stops the work and leaves with 130, without a stack", async () => {
  const terminal = atTerminal(place, 80, run("paint"));
  await terminal.shows(/answer> /);
  terminal.type(`half a li${CTRL_C}`);
  expect(await terminal.exit).toBe(130);
  expect(terminal.output()).toContain("stopping the tasks");
  expect(terminal.output()).not.toMatch(/AbortError|node:internal|at .*\.mjs:\d+/);
}, 60_000);

test("a second Ctrl-C leaves at once, also when a task does not stop", async () => {
  await playScript(SCRIPT.replace("runs: [{", "runs: [{ hang: true,"));
  const terminal = atTerminal(place, 80, run("paint"));
  await terminal.shows(/answer> /);
  terminal.type("1\r");
  const client = await clientOf(place);
  const id = await workspaceOf(client);
  const workspace = client.api.inWorkspace(id);
  const pids = async (): Promise<number[]> =>
    (await workspace.processes()).processes.flatMap(({ pid }) => pid ?? []);
  await expect.poll(pids, { timeout: 30_000 }).not.toEqual([]);
  // A run that hears nothing: a clean stop waits for it until it is ended by force.
  const [deaf = 0] = await pids();
  process.kill(deaf, "SIGSTOP");
  try {
    terminal.type(CTRL_C);
    await terminal.shows(/Ctrl-C again leaves at once/);
    terminal.type(CTRL_C);
    expect(await terminal.exit, terminal.output()).toBe(130);
    // The end of the run was not waited for, so nobody has written it down.
    const dir = join(place.home, "workspaces", id, "history");
    const [file = ""] = await readdir(dir);
    const history = await readFile(join(dir, file), "utf8");
    expect(history.match(/"attempt\.(?:started|finished)"/g)).toEqual(['"attempt.started"']);
  } finally {
    endProcess(deaf);
  }
}, 90_000);

test("when the window becomes narrower the picture is drawn to fit it", async () => {
  const terminal = atTerminal(place, 80, run("paint"));
  await terminal.shows(/Paint the fence around the whole garden[\s\S]*answer> /);
  const before = terminal.output().length;
  await terminal.resize(36);
  await terminal.shows(/PENDING {4}Paint the fence aro\S*…/, before);
  terminal.type("1\r");
  expect(await terminal.exit, terminal.output()).toBe(0);
}, 60_000);

test("without a terminal each change is a line, and a question says how it is answered", async () => {
  const { code, output } = await finish(place, run("paint", "--until-idle"));
  expect(code, output).toBe(1); // it waits for an answer that nobody can give
  expect(output).toMatch(/^\? Which colour should it be\?$/m);
  expect(output).toMatch(/^ {2}1\. red$/m);
  expect(output).toMatch(/answer: multiverse answer bl-\w+ "…"/);
  expect(output).toMatch(/^· PENDING {4}task-0001 {2}Paint the fence/m);
  expect(output).not.toContain("\u001b");
}, 60_000);

test("--json is a document a line, and the last one says how it ended", async () => {
  const { code, output } = await finish(place, run("paint", "--until-idle", "--json"));
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { type: string });
  expect(code, output).toBe(1);
  expect(lines.map(({ type }) => type)).toEqual(["message", "task", "question", "finished"]);
  expect(lines[2]).toMatchObject({ text: "Which colour should it be?", options: ["red", "blue"] });
  expect(lines[3]).toEqual({ type: "finished", code: 1 });
}, 60_000);

test("a message that is no work ends with what the planner said", async () => {
  const { code, output } = await finish(place, run("hello", "--until-idle"));
  expect(code).toBe(1);
  expect(output).toContain("Nothing to do.");
}, 60_000);

test("nothing to plan is said before anything starts", async () => {
  const { code, output } = await finish(place, run("  "));
  expect(code).toBe(1);
  expect(output).toContain("say what you want");
});
