import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEnd } from "@multiverse/orchestrator/ports";
import { runResult } from "@multiverse/orchestrator/testing/fake-runs";
import { toSnake } from "@multiverse/protocol/case";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRuns, type Runs } from "./run-task.ts";

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "multiverse-runs-")));
  await mkdir(join(dir, "logs/attempts"), { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));

const stamp = { v: 1, at: "2026-01-01T00:00:00.000Z", trace_id: "t", task_id: "task" };
const result = toSnake(runResult("task"));
const say = (body: object): string => `say(${JSON.stringify({ ...stamp, ...body })});`;
const output = (line: string): string => say({ type: "output", stream: "stdout", line });
const finished = say({ type: "finished", result });

/** A runner that does what the script says; `say` appends an event. */
async function runner(script: string): Promise<string> {
  const path = join(dir, "runner.mjs");
  await writeFile(
    path,
    `import { appendFileSync } from "node:fs";
const events = process.argv[process.argv.indexOf("--events") + 1];
const say = (event) => appendFileSync(events, JSON.stringify(event) + "\\n");
const raw = (text) => appendFileSync(events, text);
${script}`,
  );
  return path;
}

const runsOf = (runnerPath: string): Runs =>
  createRuns({
    dir,
    workspaceId: "ws",
    projectRoot: dir,
    runnerPath,
    env: { PATH: process.env["PATH"] ?? "" },
    runEnv: () => ({ FROM_SETTINGS: "yes" }),
    logCapBytes: () => 1_048_576,
  });
const request = { attemptId: "att-1", taskId: "task", epoch: 3, traceId: "trace-1", taskYaml: "y" };

async function heard(
  runs: Runs,
  attemptId = "att-1",
): Promise<{ events: RunEvent[]; end: RunEnd }> {
  const stream = runs.follow(attemptId, AbortSignal.timeout(15_000));
  const events: RunEvent[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { events, end: next.value };
    events.push(next.value);
  }
}
const log = (): Promise<string> => readFile(join(dir, "logs/attempts/att-1.log"), "utf8");

describe("a run", () => {
  test("is heard to its end, and its worker's output is kept", async () => {
    const runs = runsOf(await runner(`${output("one")}${output("two")}${finished}`));
    await runs.start(request);
    const { events, end } = await heard(runs);
    expect(events.map(({ type }) => type)).toEqual(["output", "output", "finished"]);
    expect(end).toEqual({ how: "finished", stderrTail: "" });
    expect(await log()).toBe("one\ntwo\n");
    expect(await readFile(join(dir, "runs/att-1/task.yaml"), "utf8")).toBe("y");
  });

  test("is told who it is", async () => {
    const env = say({ type: "log", level: "info", message: "x", fields: {} }).replace(
      '"fields":{}',
      '"fields":process.env',
    );
    const runs = runsOf(await runner(`${env}${finished}`));
    await runs.start(request);
    const { events } = await heard(runs);
    expect(events[0]).toMatchObject({
      fields: {
        MULTIVERSE_TRACE_ID: "trace-1",
        MULTIVERSE_ATTEMPT_ID: "att-1",
        MULTIVERSE_WORKSPACE_ID: "ws",
        MULTIVERSE_EPOCH: "3",
        FROM_SETTINGS: "yes",
      },
    });
    expect(events[0]).not.toHaveProperty("fields.HOME");
  });

  test("that dies is reported with the end of what it said", async () => {
    const runs = runsOf(
      await runner(`console.error("x".repeat(9000) + "the end"); process.exit(1);`),
    );
    await runs.start(request);
    const { end } = await heard(runs);
    expect(end.how).toBe("died");
    expect(end.stderrTail.trimEnd().endsWith("the end")).toBe(true);
    expect(end.stderrTail.length).toBeLessThanOrEqual(4_096);
  });

  test.each([
    ["no JSON", `raw("garbage\\n"); setInterval(() => {}, 1000);`],
    ["an event of another kind", `${say({ type: "surprise" })} setInterval(() => {}, 1000);`],
    ["a line without end", `raw("x".repeat(3_000_000)); setInterval(() => {}, 1000);`],
  ])("that writes %s is malformed", async (_, script) => {
    const runs = runsOf(await runner(script));
    await runs.start(request);
    expect((await heard(runs)).end.how).toBe("malformed");
    await runs.stop("att-1");
  });

  test("that nobody knows is lost", async () => {
    const runs = runsOf(await runner(""));
    expect((await heard(runs, "att-9")).end.how).toBe("lost");
  });

  test("goes on without its server, and the next one hears it from the beginning, once", async () => {
    const path = await runner(
      `${output("early")} setTimeout(() => { ${output("late")}${finished} }, 700);`,
    );
    const first = runsOf(path);
    await first.start(request);
    const leaving = new AbortController();
    const stream = first.follow("att-1", leaving.signal);
    await stream.next();
    leaving.abort();
    await stream.return({ how: "lost", stderrTail: "" });
    const { events, end } = await heard(runsOf(path));
    expect([events.length, end.how, await log()]).toEqual([3, "finished", "early\nlate\n"]);
  });

  test("is found by its command line if its starter died before it could note it down", async () => {
    const path = await runner(`setTimeout(() => { ${finished} }, 1500);`);
    await runsOf(path).start(request);
    await rm(join(dir, "runs/att-1/process.json"));
    expect((await heard(runsOf(path))).end.how).toBe("finished");
  });

  test("stops when it is asked to", async () => {
    const runs = runsOf(
      await runner(
        `process.on("SIGTERM", () => { ${finished} process.exit(143); }); setInterval(() => {}, 1000); ${output("up")}`,
      ),
    );
    await runs.start(request);
    const following = heard(runs);
    await expect
      .poll(() => readFile(join(dir, "runs/att-1/events.jsonl"), "utf8").catch(() => ""))
      .toContain("up");
    expect(runs.pidOf("att-1")).toBeGreaterThan(0);
    await runs.stop("att-1");
    expect((await following).end.how).toBe("finished");
    expect(runs.pidOf("att-1")).toBeNull();
  });
});
