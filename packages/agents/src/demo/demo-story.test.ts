import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompletionAssessmentRequest } from "@multiverse/protocol/meta/completion-assessment";
import type { RunSituation } from "@multiverse/protocol/meta/next-action";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { mock } from "../cli/mock.ts";
import { createMetaAgent } from "../meta/create-meta-agent.ts";
import { startTimeOf } from "../process-group.ts";
import { localSandbox } from "../sandbox/local.ts";
import type { OutputLine, SandboxHandle } from "../sandbox/sandbox.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { planRequest, planTaskRequest, situation } from "../testing/requests.ts";

const never = new AbortController().signal;
const env = { MULTIVERSE_DEMO_DELAY: "0" };
let program = "";

beforeAll(async () => {
  program = join(mkdtempSync(join(tmpdir(), "demo-program-")), "program.mjs");
  await build({
    stdin: {
      contents: `import { runDemoWorker } from "./demo-worker.ts";
        process.exitCode = await runDemoWorker(process.stdin, process.argv.slice(2));`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    outfile: program,
    logLevel: "error",
  });
});

const openProject = (repoPath: string): Promise<SandboxHandle> =>
  localSandbox(process.env).start(
    {
      taskId: "T",
      attemptId: "A",
      workspaceId: "W",
      epoch: 0,
      traceId: "trace",
      repoPath,
      image: null,
      env: {},
      logins: [],
      network: "default",
      allowHosts: [],
      gateway: false,
      memory: "1g",
      cpus: 1,
    },
    never,
    () => {},
  );

async function work(
  project: SandboxHandle,
  prompt: string,
  toolSpecific: Record<string, unknown>,
  signal = never,
) {
  const parser = mock.parser();
  const plan = mock.plan({
    prompt,
    model: "",
    mode: "exec",
    sessionId: null,
    reasoningEffort: null,
    cliPath: program,
    flags: [],
    env: {},
    workdir: project.projectDir,
    place: "host-guarded",
    outputSchema: null,
    baseUrl: null,
    timeoutSec: 60,
    idleTimeoutSec: 0,
    toolSpecific,
  });
  const { exitCode } = await project.exec(plan, signal, (line) => void parser.feed(line));
  return { exitCode, ...parser.end(exitCode) };
}

const created = ({ operations }: PlanPatch) =>
  operations.flatMap((operation) => (operation.op === "create" ? [operation] : []));

const shell = (command: string) => ({
  command: "sh",
  args: ["-c", command],
  env: {},
  workdir: ".",
  stdin: "",
  timeoutSec: 60,
  idleTimeoutSec: 0,
});

/** The loop of agent-runner in miniature: criteria, worker, checks, assessment, until all is satisfied. */
async function runTask(project: SandboxHandle, title: string) {
  const events: string[] = [];
  const meta = createMetaAgent({
    kind: "mock",
    env,
    clock: fakeClock(),
    report: ({ phase }) => events.push(phase),
  });
  const { answer: planned } = await meta.planTask(planTaskRequest(title), never);
  const now: RunSituation = situation(title, {
    acceptanceCriteria: planned.acceptanceCriteria.map(({ id = "", description, check }) => ({
      id,
      description,
      passed: false,
      comment: "",
      check: check?.command ?? null,
    })),
  });
  for (let run = 1; run <= 4; run++) {
    const { answer } = await meta.nextAction(now, never);
    const done = await work(
      project,
      answer.workerCall?.prompt ?? "",
      answer.workerCall?.toolSpecific ?? {},
    );
    for (const criterion of now.acceptanceCriteria) {
      if (criterion.check === null) continue;
      const result = await project.exec(shell(criterion.check), never, () => {});
      criterion.passed = result.exitCode === 0;
    }
    now.workerRunsCount = run;
    now.lastWorkerResult = {
      exists: true,
      exitCode: done.exitCode,
      summary: done.summary,
      stdoutTail: "",
      files: [...done.files],
    };
    const request: CompletionAssessmentRequest = { ...now, workerRuns: [], diffStat: "" };
    if ((await meta.assess(request, never)).answer.allCriteriaSatisfied)
      return { runs: run, retries: events.filter((phase) => phase === "retry").length };
  }
  throw new Error(`${title} was never done`);
}

test(
  "TODO アプリを作成して becomes a plan whose tasks write a web app with passing tests",
  {
    timeout: 120_000,
  },
  async () => {
    const meta = createMetaAgent({ kind: "mock", env, clock: fakeClock() });
    const { answer: plan } = await meta.planPatch(planRequest("TODO アプリを作成して"), never);
    expect(plan.questions).toMatchObject([
      { blocking: false, default: expect.any(String) as string },
    ]);
    const tasks = created(plan);
    expect(tasks).toHaveLength(6);

    const folder = mkdtempSync(join(tmpdir(), "demo-story-"));
    const project = await openProject(folder);
    const done = new Map<string, { runs: number; retries: number }>();
    for (const [i, { title = "", dependencies = [] }] of tasks.entries()) {
      expect(tasks.slice(0, i).map(({ tempId }) => tempId)).toEqual(
        expect.arrayContaining(dependencies),
      );
      done.set(title, await runTask(project, title));
    }
    expect(done.get("リストをファイルに保存する")).toEqual({ runs: 2, retries: 0 });
    expect(done.get("Web 画面を作る")).toEqual({ runs: 1, retries: 1 });
    expect([...done.values()].filter(({ runs }) => runs > 1)).toHaveLength(1);

    const said: OutputLine[] = [];
    const { exitCode } = await project.exec(shell("npm test"), never, (line) => said.push(line));
    expect(said.map(({ line }) => line).join("\n")).toMatch(/pass 12/);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, "public/index.html"), "utf8")).toContain("<h1>やること</h1>");
    await project.stop();
  },
);

test("the English twin is the same plan, task by task, in English", async () => {
  const meta = createMetaAgent({ kind: "mock", env, clock: fakeClock() });
  const twins = await Promise.all(
    ["TODO アプリを作成して", "Create a TODO app"].map(async (sentence) => {
      const tasks = created((await meta.planPatch(planRequest(sentence), never)).answer);
      const checks = tasks.map(async ({ title = "" }) => {
        const { answer } = await meta.planTask(planTaskRequest(title), never);
        return answer.acceptanceCriteria.map(({ check }) => check);
      });
      return { titles: tasks.map(({ title }) => title), checks: await Promise.all(checks) };
    }),
  );
  expect(twins[1]?.checks).toEqual(twins[0]?.checks);
  expect(twins[1]?.titles).not.toEqual(twins[0]?.titles);
  expect(twins[1]?.titles.join()).toMatch(/^[ -~]+$/);
});

test("the same sentence again changes nothing", async () => {
  const meta = createMetaAgent({ kind: "mock", env, clock: fakeClock() });
  const again = planRequest("TODO アプリを作成して", ["TODO アプリを設計する"]);
  expect((await meta.planPatch(again, never)).answer.operations).toEqual([]);
});

test.each(["Write a chess engine", "会社のサイトを作って"])(
  "any other sentence gets a plan of three tasks that finish: %s",
  { timeout: 30_000 },
  async (sentence) => {
    const meta = createMetaAgent({ kind: "mock", env, clock: fakeClock() });
    const { answer } = await meta.planPatch(planRequest(sentence), never);
    const titles = answer.operations.flatMap((operation) =>
      operation.op === "create" ? [operation.title ?? ""] : [],
    );
    expect(titles).toHaveLength(3);
    const project = await openProject(mkdtempSync(join(tmpdir(), "demo-generic-")));
    for (const title of titles) expect(await runTask(project, title)).toMatchObject({ runs: 1 });
  },
);

test("a task that no script knows is finished with a note", async () => {
  const project = await openProject(mkdtempSync(join(tmpdir(), "demo-unknown-")));
  expect(await runTask(project, "Paint the fence")).toMatchObject({ runs: 1 });
});

test("decompose gives the same plan by phases", async () => {
  const meta = createMetaAgent({ kind: "mock", env, clock: fakeClock() });
  const { answer } = await meta.decompose(planRequest("Create a TODO app"), never);
  expect(answer.phases.map(({ name, tasks }) => [name, tasks.length])).toEqual([
    ["Design", 1],
    ["Implementation", 4],
    ["Verification", 1],
  ]);
});

describe("a run written into the prompt", () => {
  const inPrompt = async (yaml: string, folder = mkdtempSync(join(tmpdir(), "demo-inline-"))) => {
    const project = await openProject(folder);
    const done = await work(project, `Do this:\n\`\`\`demo\n${yaml}\n\`\`\`\n`, {});
    return { folder, ...done };
  };

  test("writes files, runs commands and ends as it says", async () => {
    const done = await inPrompt(
      "files: { a/b.txt: hello }\ncommands: [cat a/b.txt]\nsummary: wrote it",
    );
    expect(done).toMatchObject({
      exitCode: 0,
      succeeded: true,
      summary: "wrote it",
      files: ["a/b.txt"],
    });
    expect(readFileSync(join(done.folder, "a/b.txt"), "utf8")).toBe("hello");
  });

  test.each([
    ["an exit code alone", "exit_code: 3", { kind: "other" }, 3],
    [
      "a failure it tells of",
      "fail: could not do it",
      { kind: "other", message: "could not do it" },
      0,
    ],
    ["a file outside the project", "files: { ../x: y }", { kind: "other" }, 1],
    ["nonsense in the block", "colour: red", { kind: "other" }, 1],
  ])("is a failure: %s", async (_, yaml, failure, exitCode) => {
    expect(await inPrompt(yaml)).toMatchObject({ succeeded: false, failure, exitCode });
  });

  test("is refused once for a rate limit, and then does its work", async () => {
    const yaml = "rate_limit_sec: 5\nfiles: { a.txt: hello }";
    const first = await inPrompt(yaml);
    expect(first).toMatchObject({
      succeeded: false,
      files: [],
      failure: { kind: "rate_limited", retryAt: expect.any(String) as string },
    });
    expect(await inPrompt(yaml, first.folder)).toMatchObject({ succeeded: true, files: ["a.txt"] });
  });

  test.each([
    ["a command", "files: { ready: x }\ncommands: ['sh -c \"echo $$ > pid; exec sleep 600\"']"],
    ["nothing", "commands: ['echo 1 > pid']\nhang: true"],
  ])(
    "ends at once when it is canceled while it waits for %s, and leaves nothing behind",
    async (_, yaml) => {
      const folder = mkdtempSync(join(tmpdir(), "demo-cancel-"));
      const project = await openProject(folder);
      const stop = new AbortController();
      const running = work(project, `\`\`\`demo\n${yaml}\n\`\`\`\n`, {}, stop.signal);
      const pid = () =>
        Number(existsSync(join(folder, "pid")) ? readFileSync(join(folder, "pid"), "utf8") : 0);
      await expect.poll(pid).toBeGreaterThan(0);
      stop.abort();
      expect(await running).toMatchObject({ succeeded: false });
      await expect
        .poll(() => pid() === 1 || startTimeOf(pid()) === null, { timeout: 2_000 })
        .toBe(true);
    },
  );

  test("garbage between its events is passed over", async () => {
    expect(await inPrompt('garbage: "{not json"\nsummary: fine')).toMatchObject({
      succeeded: true,
      summary: "fine",
    });
  });
});

describe("a script of one's own", () => {
  const script = (yaml: string) => {
    const path = join(mkdtempSync(join(tmpdir(), "demo-script-")), "script.yaml");
    writeFileSync(path, yaml);
    return path;
  };
  const metaWith = (yaml: string, clock = fakeClock()) =>
    createMetaAgent({ kind: "mock", env: { ...env, MULTIVERSE_MOCK_SCRIPT: script(yaml) }, clock });

  test("asks, answers garbage and limits as it says", async () => {
    const meta = metaWith(`
version: 1
tasks:
  - match: paint
    goal: paint it
    acceptance_criteria: [{ description: it is painted }]
    question: { text: Which colour?, options: [red, blue] }
    faults: [{ call: next_action, kind: garbage, times: 2 }, { call: plan_task, kind: rate_limit, after_sec: 0 }, { call: plan_task, kind: unavailable }]
    runs: [{ files: { fence.txt: red } }]
`);
    expect(
      (await meta.planTask(planTaskRequest("Paint the fence"), never)).answer.acceptanceCriteria,
    ).toHaveLength(1);
    const asked = await meta.nextAction(situation("Paint the fence"), never);
    expect(asked.answer).toMatchObject({
      decision: { action: "ask_human" },
      question: { text: "Which colour?", options: ["red", "blue"] },
    });
    const answers = [{ question: "Which colour?", answer: "red" }];
    const told = await meta.nextAction(situation("Paint the fence", { answers }), never);
    expect(told.answer).toMatchObject({ decision: { action: "run_worker" } });
    expect(told.answer.workerCall?.prompt).toContain("Which colour? → red");
  });

  test.each([
    ["is not YAML", "a: [", "cannot be used"],
    ["has an unknown field", "version: 1\ntaskz: []", "taskz"],
    ["has a broken pattern", "version: 1\nplans: [{ match: '(', answer: {} }]", "plans.0.match"],
  ])("that %s is refused with the reason", async (_, yaml, reason) => {
    await expect(metaWith(yaml).planTask(planTaskRequest("x"), never)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(reason) as string,
    });
  });
});
