import { createHash } from "node:crypto";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toCamel } from "@multiverse/protocol/case";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { WorkerSection } from "@multiverse/protocol/task-file";
import { Tooling } from "@multiverse/protocol/tooling";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentCli } from "./cli/agent-cli.ts";
import { codex } from "./cli/codex.ts";
import { claude } from "./cli/claude.ts";
import { systemClock } from "./system-clock.ts";
import { call, speaking, workerOptions } from "./testing/worker-options.ts";
import { openCooldownGate } from "./tooling/cooldown.ts";
import { createWorker, type WorkerInSandbox } from "./worker-in-sandbox.ts";
import type { WorkerOptions } from "./worker/worker-options.ts";

let folder: string;
let repo: string;
let events: RunEventBody[];
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "worker-"));
  repo = join(folder, "repo");
  mkdirSync(repo);
  events = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const codexDone = (tokens: number, said = "done"): string =>
  [
    `echo '{"type":"thread.started","thread_id":"t-1"}'`,
    `echo '{"type":"item.completed","item":{"type":"agent_message","text":"${said}"}}'`,
    `echo '{"type":"turn.completed","usage":{"input_tokens":${tokens},"output_tokens":${tokens}}}'`,
  ].join("\n");
const codexLimited = `cat > prompt-1.txt; echo begun > part.txt
echo '{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"${"$PWD"}/part.txt","kind":"add"}],"status":"completed"}}' | sed "s|.PWD|$PWD|"
echo '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'; exit 1`;
const claudeDone = `cat > prompt-2.txt; cat part.txt
echo '{"type":"system","subtype":"init","session_id":"s-1"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"finished it","session_id":"s-1","usage":{"input_tokens":5,"output_tokens":7}}'`;

const worker = (
  clis: Record<string, AgentCli>,
  over: Partial<WorkerOptions> = {},
): WorkerInSandbox => createWorker({ ...workerOptions(folder, events, clis), ...over });

const two = Tooling.parse({
  profiles: [
    {
      id: "p",
      categories: {
        worker: {
          strategy: "priority",
          candidates: [{ tool: "codex-cli" }, { tool: "claude-code" }],
        },
      },
    },
  ],
});
const kinds = (): string[] =>
  events.map((event) => ("phase" in event ? `${event.type}:${event.phase}` : event.type));

test("a run gives the CLI's own account of itself, and tells it while it goes on", async () => {
  const subject = worker({ "codex-cli": speaking(codex, codexDone(10)) });
  await subject.open(never);
  const result = await subject.run(call(), never);
  expect(result).toMatchObject({
    tool: "codex-cli",
    exitCode: 0,
    succeeded: true,
    summary: "done",
    failure: null,
    sessionId: "t-1",
    usage: { inputTokens: 10, outputTokens: 10, usd: null },
  });
  await subject.close();
  expect(kinds(), "each thing once: no raw lines of the event stream").toEqual([
    "container:starting",
    "container:started",
    "log",
    "worker:started",
    "worker_event",
    "worker:completed",
    "container:stopped",
  ]);
});

test("a resumed session is the same one, and only its new tokens count", async () => {
  const script = `if [ "$1" = resume ]; then [ "$2" = t-1 ] || exit 9; ${codexDone(25)}; else ${codexDone(10)}; fi`;
  const subject = worker({ "codex-cli": speaking(codex, script) });
  const first = await subject.run(call(), never);
  const second = await subject.run(call({ mode: "resume" }), never);
  expect([first.usage.inputTokens, second.usage.inputTokens]).toEqual([10, 15]);
  expect(second.succeeded).toBe(true);
  await subject.close();
});

describe("on a rate limit", () => {
  const clis = {
    "codex-cli": speaking(codex, codexLimited),
    "claude-code": speaking(claude, claudeDone),
  };

  test("the next candidate goes on in the same tree, told what was done", async () => {
    const subject = worker(clis, { tooling: two });
    const result = await subject.run(call(), never);
    expect(result).toMatchObject({
      tool: "claude-code",
      succeeded: true,
      summary: "finished it",
      files: ["part.txt"],
    });
    expect(result.rawOutput).toContain("begun");
    const told = readFileSync(join(repo, "prompt-2.txt"), "utf8");
    expect(told).toContain("do the step");
    expect(told).toContain("codex-cli was stopped");
    expect(told).toContain("part.txt");
    expect(readFileSync(join(repo, "prompt-1.txt"), "utf8")).toBe("do the step");
    await subject.close();
  });

  test("another task on the machine does not even ask the one that is cooling", async () => {
    const first = worker(clis, { tooling: two });
    await first.run(call(), never);
    await first.close();
    rmSync(join(repo, "prompt-1.txt"));
    const second = worker(clis, { tooling: two });
    expect(await second.run(call(), never)).toMatchObject({ tool: "claude-code", succeeded: true });
    expect(() => readFileSync(join(repo, "prompt-1.txt"))).toThrow(/ENOENT/);
    await second.close();
  });

  test("a probe that was begun at opening is used by the first step, or given back", async () => {
    const gate = openCooldownGate(join(folder, "gate"), systemClock);
    const account = createHash("sha256").update("sk-host-0123456789").digest("hex").slice(0, 16);
    const key = `codex-cli:${account}`;
    const fine = { "codex-cli": speaking(codex, codexDone(1)) };
    await gate.close(key, new Date(0));
    const idle = worker(fine, { gate });
    await idle.open(never);
    expect(await gate.enter(key)).toMatchObject({ open: false });
    await idle.close();
    const busy = worker(fine, { gate });
    await busy.open(never);
    expect(await busy.run(call(), never)).toMatchObject({ succeeded: true });
    expect(await gate.enter(key)).toEqual({ open: true, probe: false });
    await busy.close();
  });

  test("with nobody left the run ends limited, with the time it can go on", async () => {
    const subject = worker(clis);
    const result = await subject.run(call(), never);
    expect(result).toMatchObject({ succeeded: false, failure: { kind: "rate_limited" } });
    expect(Date.parse(result.failure?.retryAt ?? "")).toBeGreaterThan(Date.now() + 60_000);
    await subject.close();
  });
});

describe("who may run where", () => {
  const clis = { "codex-cli": speaking(codex, codexDone(1)) };

  test("a real CLI on this machine needs the task's word and the person's", async () => {
    const refused = worker(clis, {
      hostEnv: { PATH: process.env.PATH, OPENAI_API_KEY: "sk-host-0123456789" },
    });
    await expect(refused.open(never)).rejects.toMatchObject({ code: "SANDBOX_REFUSED" });
    expect(events).toEqual([]);
  });

  test("without any login it is said at once how to get one", async () => {
    const loggedOut = worker(clis, {
      hostEnv: { PATH: process.env.PATH, MULTIVERSE_ALLOW_LOCAL: "1" },
    });
    await expect(loggedOut.open(never)).rejects.toMatchObject({
      code: "LOGIN_MISSING",
      hint: expect.stringContaining("codex login") as string,
    });
    await expect(loggedOut.run(call(), never)).rejects.toMatchObject({ code: "LOGIN_MISSING" });
  });

  test("a refused login says how to log in", async () => {
    const refused = `echo '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}'; exit 1`;
    const subject = worker({ "codex-cli": speaking(codex, refused) });
    const { failure } = await subject.run(call(), never);
    expect(failure).toMatchObject({
      kind: "login",
      message: expect.stringContaining("codex login") as string,
    });
    await subject.close();
  });
});

test("secrets of the task and of login files are shown nowhere", async () => {
  const home = join(folder, "home");
  mkdirSync(join(home, ".codex"), { recursive: true });
  writeFileSync(
    join(home, ".codex/auth.json"),
    JSON.stringify({ tokens: { access: "login-canary-0123456789" } }),
  );
  const script = `printf login-canary-; printf '0123456789\\n'; echo $TASK_SECRET; printf %s "$TASK_SECRET" | base64; ${codexDone(1, "it is task-canary-0123456789")}`;
  const lines: string[] = [];
  const subject = worker(
    { "codex-cli": speaking(codex, script) },
    {
      home,
      env: { TASK_SECRET: "task-canary-0123456789" },
      secrets: ["task-canary-0123456789"],
      onOutput: ({ line }) => lines.push(line),
    },
  );
  const result = await subject.run(call(), never);
  await subject.check(
    { command: "echo $TASK_SECRET", workdir: ".", timeoutSec: 5 },
    never,
    ({ line }) => lines.push(line),
  );
  await subject.close();
  const everything = JSON.stringify([result, events, lines]);
  expect(everything).not.toMatch(/canary/);
  expect(everything).not.toContain(
    Buffer.from("task-canary-0123456789").toString("base64").slice(0, 16),
  );
  expect(subject.secrets()).toContain("login-canary-0123456789");
  expect(result.summary).toBe("it is ***");
});

test("a check runs in the sandbox, with the task's variables and without the CLI's key", async () => {
  const subject = worker({ "codex-cli": speaking(codex, codexDone(1)) }, { env: { OWN: "yes" } });
  const lines: string[] = [];
  const plan = {
    command: "echo $OWN-$CODEX_API_KEY-$OPENAI_API_KEY; exit 3",
    workdir: ".",
    timeoutSec: 5,
  };
  const result = await subject.check(plan, never, ({ line }) => lines.push(line));
  expect([result.exitCode, lines]).toEqual([3, ["yes--"]]);
  await subject.close();
});

test("a flood of lines becomes few events, and all of it is in the log", async () => {
  let logged = 0;
  const script = `seq 1 50000; ${codexDone(1)}`;
  const subject = worker(
    { "codex-cli": speaking(codex, script) },
    { onOutput: () => (logged += 1) },
  );
  const result = await subject.run(call(), never);
  await subject.close();
  expect(logged).toBe(50_003);
  expect(events.filter(({ type }) => type === "output").length).toBeLessThan(20_000);
  expect(JSON.stringify(events)).toContain("lines left out here");
  expect(result.rawOutput.length).toBeLessThanOrEqual(65_536);
  expect(result.outputLength).toBeGreaterThan(200_000);
});

test("a time-out is told with the setting that made it", async () => {
  const section = toCamel(
    WorkerSection.parse({ kind: "codex-cli", sandbox: "local", max_run_time_sec: 1 }),
  );
  const subject = worker({ "codex-cli": speaking(codex, "sleep 100") }, { worker: section });
  const result = await subject.run(call(), never);
  expect(result).toMatchObject({ succeeded: false, exitCode: null, failure: { kind: "aborted" } });
  expect(result.summary).toContain("max_run_time_sec");
  await subject.close();
});
