import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  startScriptedOpenAi,
  type ScriptedAnswer,
  type ScriptedOpenAi,
} from "../harness/scripted-openai.ts";
import { assessment, planned, worker } from "../runner/harness/model-answers.ts";
import { finish, makePlace, type Place } from "../server/program.ts";
import { atTerminal } from "./typed.ts";

/** Everything as it ships, server, agent-runner and worker as processes; only the model behind the HTTP API is scripted. */

let place: Place;
let model: ScriptedOpenAi;
let planAnswer: (message: string) => object;
let run: (title: string) => object;

/** What the last message of a request asks for: its first line is the request as data. */
function asked(body: unknown): { type: string; payload: Record<string, unknown> } {
  const { messages } = body as { messages: { content: string }[] };
  const [first = ""] = (messages.at(-1)?.content ?? "").split("\n");
  return JSON.parse(first) as { type: string; payload: Record<string, unknown> };
}

function answer(body: unknown): ScriptedAnswer {
  const { type, payload } = asked(body);
  const task = payload["task"] as { title: string } | undefined;
  const title = task?.title ?? "";
  switch (type) {
    case "plan_patch": {
      const change = planAnswer(String(payload["user_input"]));
      return { text: JSON.stringify({ type, version: 1, payload: change }) };
    }
    case "plan_task":
      return {
        text: planned({
          description: `${title} is there`,
          check: { kind: "command", command: `test -s '${title}.txt'` },
        }),
      };
    case "next_action":
      return { text: worker(run(title)) };
    default:
      return { text: assessment(true) };
  }
}

beforeEach(async () => {
  model = await startScriptedOpenAi(({ body }) => answer(body));
  place = await makePlace({ OPENAI_API_KEY: "sk-scripted-0123456789" });
  const config = join(place.home, "config");
  await mkdir(config, { recursive: true, mode: 0o700 });
  const llm = { kind: "openai-chat", model: "scripted", baseUrl: model.baseUrl };
  const workers = { worker: { candidates: [{ tool: "mock" }] } };
  const tooling = { activeProfile: "p", profiles: [{ id: "p", categories: workers }] };
  await writeFile(join(config, "llm.json"), JSON.stringify(llm), { mode: 0o600 });
  await writeFile(join(config, "tooling.json"), JSON.stringify(tooling), { mode: 0o600 });
  run = (title) => ({ files: { [`${title}.txt`]: "done\n" }, summary: "Wrote it." });
  planAnswer = () => ({
    understanding: "Two files.",
    operations: [
      { op: "create", temp_id: "a", title: "one" },
      { op: "create", title: "two", dependencies: ["a"] },
    ],
  });
});
afterEach(async () => {
  await model.close();
  await place.remove();
});

const command = (sentence: string, ...more: string[]): string[] => [
  "run",
  sentence,
  "--project",
  place.project,
  ...more,
];

/** Processes that work in this test's project. */
async function working(): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(
    pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")),
  );
  return pids.filter((_, i) => folders[i] === place.project);
}

test("a sentence becomes a plan that runs to its end without a button", async () => {
  const { code, output } = await finish(place, command("TODO アプリを作成して", "--until-idle"));
  expect(code, output).toBe(0);
  expect(await readFile(join(place.project, "one.txt"), "utf8")).toBe("done\n");
  expect(await readFile(join(place.project, "two.txt"), "utf8")).toBe("done\n");
  const planning = model.requests.filter(({ body }) => asked(body).type === "plan_patch");
  expect(planning).toHaveLength(1);
}, 60_000);

test("a second message changes the plan by its difference, and what is done is not done again", async () => {
  await finish(place, command("make two files", "--until-idle"));
  planAnswer = () => ({
    understanding: "The second goes, a third comes.",
    operations: [
      { op: "delete", task_id: "task-0002" },
      { op: "create", title: "three", dependencies: ["task-0001"] },
    ],
  });
  const { code, output } = await finish(
    place,
    command("remove the second and add a third", "--until-idle"),
  );
  expect(code, output).toBe(0);
  expect(output).toMatch(/\*\*Deleted\*\*\n- two/);
  const worked = model.requests.filter(({ body }) => asked(body).type === "plan_task");
  expect(worked).toHaveLength(3);
}, 60_000);

test("止めて, typed while a worker hangs, stops it and leaves no process behind", async () => {
  run = () => ({ hang: true });
  const terminal = atTerminal(place, 80, command("TODO アプリを作成して"));
  await terminal.shows(/RUNNING {4}one/);
  await expect.poll(async () => (await working()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  terminal.type("止めて\r");
  await terminal.shows(/停止しました/);
  expect(await terminal.exit, terminal.output()).toBe(1);
  await expect.poll(working).toEqual([]);
}, 90_000);

test("a model that is down says why, and the plan is as it was", async () => {
  await finish(place, command("make two files", "--until-idle"));
  await model.close();
  const { code, output } = await finish(place, command("and a third", "--until-idle"));
  expect(code).toBe(1);
  expect(output).toContain("so it is as it was");
  model = await startScriptedOpenAi([]);
}, 90_000);
