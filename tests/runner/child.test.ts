import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { isRunAlive, startRun, stopRun } from "@multiverse/runner/child";
import { followRun } from "@multiverse/runner/follow-run";
import type { FollowEnd } from "@multiverse/runner/follow-run";
import { RUNNER, newPlace, processesWith } from "./harness/agent-runner.ts";
import type { Place } from "./harness/agent-runner.ts";

let place: Place;
let marker = "";
beforeEach(() => {
  place = newPlace();
  marker = `${process.pid}-${Math.random()}`;
});
afterEach(() => {
  for (const pid of processesWith(`RUN_MARKER=${marker}`)) process.kill(pid, "SIGKILL");
  place.remove();
});

const SCRIPT = `
version: 1
tasks:
  - match: ^hang$
    goal: hang
    acceptance_criteria: [ { description: x } ]
    runs: [ { say: [hanging], hang: true } ]
  - match: .*
    goal: hello
    acceptance_criteria: [ { description: x, check: test -s hello.txt } ]
    runs: [ { files: { hello.txt: hello } } ]
`;

async function start(title: string) {
  const script = join(place.folder, "script.yaml");
  writeFileSync(script, SCRIPT);
  const eventsPath = join(place.folder, "events.jsonl");
  const runner = { meta: { kind: "mock" }, worker: { kind: "mock", env: { RUN_MARKER: marker } } };
  const taskPath = join(place.folder, "task.yaml");
  const task = { version: 1, task: { id: "T", title, prd: { text: "x" } }, runner };
  writeFileSync(taskPath, stringify(task));
  const run = await startRun({
    taskPath,
    cwd: place.repo,
    eventsPath,
    stderrPath: join(place.folder, "stderr.log"),
    resultPath: join(place.folder, "result.json"),
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place.home,
      MULTIVERSE_MOCK_SCRIPT: script,
      MULTIVERSE_DEMO_DELAY: "0",
      RUN_MARKER: marker,
    },
    runnerPath: RUNNER,
  });
  return { run, eventsPath };
}

async function collect(
  events: AsyncGenerator<RunEvent, FollowEnd>,
  until: (event: RunEvent) => boolean,
) {
  const seen: RunEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) return { seen, end: next.value };
    seen.push(next.value);
    if (!until(next.value)) continue;
    await events.return("aborted");
    return { seen, end: null };
  }
}

test("a run in a process of its own is followed to its end", async () => {
  const { run, eventsPath } = await start("hello");
  const events = followRun(eventsPath, {
    signal: new AbortController().signal,
    isAlive: () => isRunAlive(run),
  });
  const { seen, end } = await collect(events, () => false);
  expect(end).toBe("finished");
  expect(seen[0]).toMatchObject({
    type: "log",
    fields: { pid: run.pid, pid_start_time: run.startTime },
  });
  expect(seen.at(-1)).toMatchObject({ type: "finished", result: { status: "succeeded" } });
  expect(await run.exited).toBe(0);
  expect(JSON.parse(readFileSync(join(place.folder, "result.json"), "utf8"))).toMatchObject({
    status: "succeeded",
  });
  expect(readFileSync(join(place.folder, "stderr.log"), "utf8")).toContain("task finished");
});

test("a run is its own group and session, so that it survives whoever started it", async () => {
  const { run } = await start("hang");
  const fields = readFileSync(`/proc/${run.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  expect(fields.slice(2, 4)).toEqual([String(run.pid), String(run.pid)]);
  expect(await stopRun(run)).toBe(true);
});

test("stopping a run leaves nothing running, and the run says that it was canceled", async () => {
  const { run, eventsPath } = await start("hang");
  const follow = { signal: new AbortController().signal, isAlive: () => isRunAlive(run) };
  await collect(followRun(eventsPath, follow), (event) => event.type === "worker_event");
  expect(processesWith(`RUN_MARKER=${marker}`).length).toBeGreaterThan(1);
  expect(await stopRun(run)).toBe(true);
  expect(isRunAlive(run)).toBe(false);
  expect(processesWith(`RUN_MARKER=${marker}`)).toEqual([]);
  const { seen, end } = await collect(followRun(eventsPath, follow), () => false);
  expect(end).toBe("finished");
  expect(seen.at(-1)).toMatchObject({ result: { reason: "canceled" } });
});

test("a run that is killed has died, and stopping it again is fine", async () => {
  const { run, eventsPath } = await start("hang");
  const follow = { signal: new AbortController().signal, isAlive: () => isRunAlive(run) };
  await collect(followRun(eventsPath, follow), (event) => event.type === "worker_event");
  process.kill(run.pid, "SIGKILL");
  const { end } = await collect(followRun(eventsPath, follow), () => false);
  expect(end).toBe("died");
  expect(await stopRun(run)).toBe(true);
});

test("another process with the same pid is never taken for the run", async () => {
  const { run } = await start("hello");
  await run.exited;
  expect(isRunAlive({ pid: process.pid, startTime: run.startTime })).toBe(false);
  expect(await stopRun({ pid: process.pid, startTime: run.startTime })).toBe(true);
});
