import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { openAiError, startScriptedOpenAi } from "../harness/scripted-openai.ts";
import type { Script } from "../harness/scripted-openai.ts";
import { newPlace, runRunner, startRunner } from "./harness/agent-runner.ts";
import type { Ended, Place } from "./harness/agent-runner.ts";
import {
  HELLO,
  assessment,
  decision,
  helloCheck,
  planned,
  worker,
} from "./harness/model-answers.ts";

let place: Place;
beforeEach(() => (place = newPlace()));
afterEach(() => place.remove());

const task = (runner: object = {}): object => ({
  version: 1,
  task: { id: "TASK-1", prd: { text: "Say hello." }, test: { command: "cat hello.txt" } },
  runner: {
    meta: { model: "m" },
    worker: { kind: "mock", env: { MY_TOKEN: "env:MY_TOKEN" } },
    ...runner,
  },
});
const recording = (): string => join(place.folder, "recording.jsonl");
const says = (...texts: string[]): Script => texts.map((text) => ({ text }));
const SECRET = "tok-0123456789abcdef";

async function record(script: Script, yaml = task()): Promise<Ended> {
  const model = await startScriptedOpenAi(script);
  const env = {
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "sk-recorded-key",
    MY_TOKEN: SECRET,
  };
  const ended = await runRunner(place, {
    task: yaml,
    env,
    args: ["--json", "--record", recording()],
  });
  await model.close();
  return ended;
}

/** Events without what has to differ: times, durations and the process. */
const timeless = (events: readonly RunEvent[]): unknown[] =>
  events.map((event) => withoutTimes(event));

const TIMES = new Set(["at", "durationMs", "pid", "pid_start_time"]);
function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !TIMES.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTimes(inner)]));
}

/** With a PATH where no program is, and a model address where nobody answers. */
const NOTHING = { PATH: "/nowhere", OPENAI_BASE_URL: "http://127.0.0.1:1", OPENAI_API_KEY: "k" };

test.each<[string, Script, number]>([
  [
    "a success in two loops",
    says(
      planned(helloCheck),
      worker({ files: { "hello.txt": "x" } }),
      assessment(true),
      worker(HELLO),
      assessment(true),
    ),
    0,
  ],
  ["a question", says(planned({ description: "x" }), decision("ask_human", "which?")), 1],
  ["a failing model", [{ status: 401, body: openAiError("invalid_api_key", "no") }], 1],
  ["garbage", says(planned(helloCheck), "what?", "what?", "what?"), 1],
])("a replay of %s gives the same events with no network and no CLI", async (_, script, code) => {
  const first = await record(script);
  expect(first.code).toBe(code);
  rmSync(join(place.repo, ".agent-runner"), { recursive: true });
  rmSync(join(place.repo, "hello.txt"), { force: true });
  const again = await runRunner(place, {
    task: task(),
    args: ["--json", "--replay", recording()],
    env: NOTHING,
  });
  expect(again.code).toBe(code);
  expect(timeless(again.events)).toEqual(timeless(first.events));
  expect(readFileSync(join(place.repo, ".agent-runner/task-TASK-1.md"), "utf8")).toContain(
    "# Task Note - TASK-1",
  );
});

test("a recording can be replayed without its task file, under its own id", async () => {
  const { task: fields, ...rest } = task() as { task: Record<string, unknown> };
  const { id: _, ...withoutId } = fields;
  const first = await record(says(planned(helloCheck), worker(HELLO), assessment(true)), {
    ...rest,
    task: withoutId,
  });
  const again = await runRunner(place, {
    task: "",
    args: ["--json", "--replay", recording()],
    env: NOTHING,
  });
  expect(again.result().taskId).toBe(first.result().taskId);
  expect(timeless(again.events)).toEqual(timeless(first.events));
});

test("the raw text of unusable answers is in the recording, secrets are not", async () => {
  const leak = worker({ ...HELLO, say: [`the token is ${SECRET}`], summary: SECRET });
  await record(says("what do you mean?", planned(helloCheck), leak, assessment(true)));
  const text = readFileSync(recording(), "utf8");
  expect(text).toContain("what do you mean?");
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain("sk-recorded-key");
});

test("a recording of another run is a mismatch, not a hang", async () => {
  await record(says(planned(helloCheck), worker(HELLO), assessment(true)));
  const lines = readFileSync(recording(), "utf8").split("\n");
  writeFileSync(recording(), lines.filter((line) => !line.includes("worker.run#1")).join("\n"));
  const again = await runRunner(place, {
    task: task(),
    args: ["--json", "--replay", recording()],
    env: NOTHING,
  });
  expect(again.code).toBe(1);
  expect(again.result()).toMatchObject({
    reason: "invalid_task",
    summary: expect.stringContaining("worker.run#1") as string,
  });
});

test("a broken recording is refused", async () => {
  writeFileSync(recording(), '{"kind":"recording","v":9}\n');
  const { code, stderr } = await runRunner(place, {
    task: task(),
    args: ["--replay", recording()],
    env: NOTHING,
  });
  expect(code).toBe(1);
  expect(stderr).toContain("line 1 is not a recorded entry");
});

test("a canceled run can be replayed to the same end", async () => {
  const model = await startScriptedOpenAi(
    says(planned(helloCheck), worker({ say: ["on it"], hang: true })),
  );
  const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: "k", MY_TOKEN: SECRET };
  const run = startRunner(place, { task: task(), env, args: ["--json", "--record", recording()] });
  await run.seen((event) => event.type === "worker_event");
  run.child.kill("SIGINT");
  const first = await run.ended;
  await model.close();
  const again = await runRunner(place, {
    task: task(),
    args: ["--json", "--replay", recording()],
    env: NOTHING,
  });
  expect(again.result().reason).toBe("canceled");
  expect(timeless(again.events)).toEqual(timeless(first.events));
});
