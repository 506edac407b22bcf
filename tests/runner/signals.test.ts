import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { startScriptedOpenAi } from "../harness/scripted-openai.ts";
import type { ScriptedAnswer, ScriptedOpenAi } from "../harness/scripted-openai.ts";
import { newPlace, processesWith, startRunner } from "./harness/agent-runner.ts";
import type { Place } from "./harness/agent-runner.ts";
import { HELLO, helloCheck, planned, worker } from "./harness/model-answers.ts";

let place: Place;
let model: ScriptedOpenAi | null = null;
beforeEach(() => (place = newPlace()));
afterEach(async () => {
  await model?.close();
  model = null;
  place.remove();
});

const SLEEP = { kind: "command", command: "sleep 300" };
const hang: ScriptedAnswer = { hang: true };
const state =
  (to: string) =>
  (event: RunEvent): boolean =>
    event.type === "state" && event.to === to;
const asked =
  (call: string) =>
  (event: RunEvent): boolean =>
    event.type === "meta" && event.call === call;

interface Moment {
  readonly script: readonly ScriptedAnswer[];
  readonly reached: (event: RunEvent) => boolean;
}

const says = (...texts: string[]): ScriptedAnswer[] => texts.map((text) => ({ text }));
const STATES: [string, Moment][] = [
  ["PLANNING", { script: [hang], reached: asked("plan_task") }],
  [
    "RUNNING, while the meta-agent decides",
    { script: [...says(planned(helloCheck)), hang], reached: asked("next_action") },
  ],
  [
    "RUNNING, while the worker works",
    {
      script: says(planned(helloCheck), worker({ say: ["working"], hang: true })),
      reached: (event) => event.type === "worker_event",
    },
  ],
  [
    "RUNNING, while a command of the worker runs",
    {
      script: says(planned(helloCheck), worker({ say: ["working"], commands: ["sleep 301"] })),
      reached: (event) => event.type === "worker_event",
    },
  ],
  [
    "VALIDATING, while a check runs",
    {
      script: says(planned({ description: "x", check: SLEEP }), worker(HELLO)),
      reached: state("VALIDATING"),
    },
  ],
  [
    "VALIDATING, while the meta-agent assesses",
    {
      script: [...says(planned(helloCheck), worker(HELLO)), hang],
      reached: asked("completion_assessment"),
    },
  ],
];

async function startAt({ script, reached }: Moment, env: Record<string, string> = {}) {
  model = await startScriptedOpenAi(script);
  const marker = `RUN_MARKER=${process.pid}-${Math.random()}`;
  const run = startRunner(place, {
    task: {
      version: 1,
      task: { id: "TASK-1", prd: { text: "x" } },
      runner: {
        note: { language: "en" },
        meta: { model: "m" },
        worker: { kind: "mock", env: { RUN_MARKER: marker.split("=")[1] } },
      },
    },
    args: ["--json", "--result", join(place.folder, "result.json")],
    env: {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "key",
      RUN_MARKER: marker.split("=")[1] ?? "",
      ...env,
    },
  });
  await run.seen(reached);
  return { ...run, marker };
}

test.each(STATES)(
  "SIGINT in %s: exit 130, note and result say canceled, nothing is left running",
  async (_, moment) => {
    const { child, ended, marker } = await startAt(moment);
    expect(processesWith(marker)).toContain(child.pid);
    child.kill("SIGINT");
    const { code, result } = await ended;
    expect(code).toBe(130);
    expect(result()).toMatchObject({ status: "failed", state: "FAILED", reason: "canceled" });
    expect(JSON.parse(readFileSync(join(place.folder, "result.json"), "utf8"))).toMatchObject({
      reason: "canceled",
    });
    const note = readFileSync(join(place.repo, ".agent-runner/task-TASK-1.md"), "utf8");
    expect(note).toContain("- State: FAILED");
    expect(note).toContain("- Reason: canceled");
    expect(processesWith(marker)).toEqual([]);
  },
  30_000,
);

test("SIGINT in PENDING, while the task is still being read: exit 130 and no note", async () => {
  const eventsPath = join(place.folder, "events.jsonl");
  const { child, ended } = startRunner(place, {
    task: null,
    args: ["--json", "--events", eventsPath],
  });
  child.stdin.write("version: 1\n");
  // Signals are caught before this file is opened; until then one would end the process the rough way.
  await expect.poll(() => existsSync(eventsPath)).toBe(true);
  child.kill("SIGINT");
  const { code, result } = await ended;
  expect(code).toBe(130);
  expect(result()).toMatchObject({ reason: "canceled", artifacts: { note: null } });
  expect(existsSync(join(place.repo, ".agent-runner"))).toBe(false);
});

test("SIGTERM: exit 143", async () => {
  const { child, ended } = await startAt({ script: [hang], reached: asked("plan_task") });
  child.kill("SIGTERM");
  const { code, result } = await ended;
  expect(code).toBe(143);
  expect(result().reason).toBe("canceled");
});

test("what a canceled worker changed is in the result", async () => {
  const run = worker({ files: { "half.txt": "half" }, say: [], commands: ["sleep 302"] });
  const { child, ended } = await startAt({
    script: says(planned(helloCheck), run),
    reached: (event) => event.type === "worker_event" && event.kind === "file_change",
  });
  child.kill("SIGINT");
  expect((await ended).result().artifacts.files).toEqual(["half.txt"]);
});

/** A run in which a check is at work that lets no polite signal end it. */
async function startStubborn() {
  const stubborn = join(place.repo, "stubborn.sh");
  writeFileSync(stubborn, "trap '' TERM INT\necho ready\nwhile :; do sleep 1; done\n");
  const check = { kind: "command", command: `exec sh ${stubborn}` };
  const run = await startAt({
    script: says(planned({ description: "x", check }), worker(HELLO)),
    reached: state("VALIDATING"),
  });
  await run.seen((event) => event.type === "output" && event.line === "ready");
  return run;
}

test("a check that ignores SIGTERM is killed after its grace", async () => {
  const { child, ended, marker } = await startStubborn();
  const started = performance.now();
  child.kill("SIGINT");
  const { code } = await ended;
  expect(code).toBe(130);
  expect(performance.now() - started).toBeGreaterThan(4_500);
  expect(processesWith(marker)).toEqual([]);
}, 60_000);

test("a second signal exits at once, and takes with it what it had started", async () => {
  const { child, ended, marker } = await startStubborn();
  child.kill("SIGINT");
  const exited = new Promise((done) => child.once("exit", done));
  const again = setInterval(() => child.kill("SIGINT"), 100);
  await exited;
  clearInterval(again);
  // Whoever waits for the grace writes a result.
  expect(existsSync(join(place.folder, "result.json"))).toBe(false);
  await expect.poll(() => processesWith(marker), { timeout: 15_000 }).toEqual([]);
  expect((await ended).code).toBe(130);
}, 60_000);
