import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createLogger } from "../log.ts";
import { systemClock } from "../system-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { planTaskRequest } from "../testing/requests.ts";
import { createMetaAgent, type MetaAgentOptions } from "./create-meta-agent.ts";

const never = new AbortController().signal;
const task = planTaskRequest("a task");
const answer = JSON.stringify({
  type: "plan_task",
  version: 1,
  payload: { acceptance_criteria: [{ description: "it works" }] },
});
const CODEX_SAYS = [
  { type: "thread.started", thread_id: "t-1" },
  { type: "item.completed", item: { id: "item_0", type: "agent_message", text: answer } },
  { type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5 } },
];
const lines = (events: readonly unknown[]) =>
  events.map((event) => `echo '${JSON.stringify(event)}'`).join("\n");

/** A machine with the named programs on its PATH and an otherwise empty home. */
function machine(programs: Record<string, string>, env: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), "via-cli-"));
  const bin = join(root, "bin");
  const home = join(root, "home");
  mkdirSync(bin);
  mkdirSync(home);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\n{ echo "$@"; pwd; ls -A; env | sort; cat; } > ${root}/seen 2>&1\n${script}\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  return {
    root,
    home,
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, TMPDIR: root, ...env },
    seen: () => readFileSync(join(root, "seen"), "utf8"),
  };
}

function agentOn(
  { env }: { env: Record<string, string> },
  options: Partial<MetaAgentOptions> = {},
) {
  const logged: string[] = [];
  const clock = fakeClock();
  const log = createLogger({ level: "info", format: "json", write: (line) => logged.push(line) });
  return {
    agent: createMetaAgent({ kind: "codex-cli", env, clock, log, ...options }),
    clock,
    logged,
  };
}

test("codex answers read-only, in an empty folder, with the prompt on stdin and no other keys", async () => {
  const host = machine(
    { codex: lines(CODEX_SAYS) },
    { CODEX_API_KEY: "ck-1", GH_TOKEN: "gh-1", ANTHROPIC_API_KEY: "ak-1" },
  );
  const { agent } = agentOn(host);
  const { answer: got, call } = await agent.planTask(task, never);
  expect(got.acceptanceCriteria).toEqual([{ description: "it works", critical: true }]);
  expect(call).toMatchObject({
    provider: "codex-cli",
    usage: { inputTokens: 10, outputTokens: 5 },
  });
  const seen = host.seen();
  const [args = "", cwd = "", next] = seen.split("\n");
  expect(args).toContain("--sandbox read-only");
  expect(args).not.toMatch(/dangerous|bypass|ck-1/);
  expect(cwd).toContain("multiverse-meta-");
  expect(next).toMatch(/^\w+=/);
  expect(existsSync(dirname(cwd))).toBe(false);
  expect(seen).toContain("CODEX_API_KEY=ck-1");
  expect(seen).not.toMatch(/gh-1|ak-1/);
  expect(seen).toContain("You are the tech lead");
  expect(seen).toContain('"type":"plan_task"');
});

test("codex is given the schema of the answer in a file, and asked without where it is not taken", async () => {
  const refusal = JSON.stringify({
    type: "turn.failed",
    error: { message: "Invalid schema for response_format 'codex_output_schema'" },
  });
  const script = `case "$*" in
*--output-schema*) while [ "$1" != --output-schema ]; do shift; done; cp "$2" "$TMPDIR/schema"; echo '${refusal}'; exit 1;;
esac
echo asked >> "$TMPDIR/plain"
${lines(CODEX_SAYS)}`;
  const host = machine({ codex: script }, { CODEX_API_KEY: "ck-1" });
  const { agent } = agentOn(host);
  await agent.planTask(task, never);
  const schema: unknown = JSON.parse(readFileSync(join(host.root, "schema"), "utf8"));
  expect(schema).toMatchObject({ properties: { type: { enum: ["plan_task"] } } });
  expect(host.seen(), "the last call was without it").not.toContain("--output-schema");
  await agent.planTask(task, never);
  expect(readFileSync(join(host.root, "plain"), "utf8")).toBe("asked\nasked\n");
});

test("flags that switch off the CLI's own protection are refused before anything starts", async () => {
  const host = machine({ codex: lines(CODEX_SAYS) }, { CODEX_API_KEY: "ck-1" });
  const { agent } = agentOn(host, { flags: ["--dangerously-bypass-approvals-and-sandbox"] });
  await expect(agent.planTask(task, never)).rejects.toMatchObject({ code: "SANDBOX_REFUSED" });
  expect(existsSync(join(host.root, "seen"))).toBe(false);
});

test("without a key for the API a CLI with a login takes its place, codex first, and the log says so", async () => {
  const host = machine({ codex: lines(CODEX_SAYS), claude: "exit 1" });
  mkdirSync(join(host.home, ".codex"));
  writeFileSync(join(host.home, ".codex/auth.json"), "{}");
  mkdirSync(join(host.home, ".claude"));
  const { agent, logged } = agentOn(host, { kind: "openai-chat" });
  expect((await agent.planTask(task, never)).call.provider).toBe("codex-cli");
  expect(logged.join()).toContain("no OPENAI_API_KEY");
});

test("a CLI that is installed but not logged in, or logged in but not installed, does not take the place", async () => {
  const notLoggedIn = machine({ codex: lines(CODEX_SAYS) });
  const notInstalled = machine({});
  mkdirSync(join(notInstalled.home, ".claude"));
  for (const host of [notLoggedIn, notInstalled])
    await expect(
      agentOn(host, { kind: "openai-chat" }).agent.planTask(task, never),
    ).rejects.toMatchObject({
      code: "META_KEY_MISSING",
      hint: expect.stringContaining("codex login") as string,
    });
});

test("a CLI without a login is LOGIN_MISSING with what to do", async () => {
  await expect(
    agentOn(machine({ codex: "exit 1" })).agent.planTask(task, never),
  ).rejects.toMatchObject({
    code: "LOGIN_MISSING",
    hint: expect.stringContaining("codex login") as string,
  });
});

test("a CLI that is not installed says so at once", async () => {
  const { agent, clock } = agentOn(machine({}, { CODEX_API_KEY: "ck-1" }));
  await expect(agent.planTask(task, never)).rejects.toMatchObject({
    code: "META_UNAVAILABLE",
    message: "codex is not installed",
  });
  expect(clock.slept).toEqual([]);
});

test("a CLI over its limit is RATE_LIMITED, one that fails is tried again", async () => {
  const limit = {
    type: "turn.failed",
    error: { message: "exceeded retry limit, last status: 429 Too Many Requests" },
  };
  const limited = agentOn(
    machine({ codex: `${lines([limit])}\nexit 1` }, { CODEX_API_KEY: "ck-1" }),
    { waitsOutRateLimit: () => false },
  );
  await expect(limited.agent.planTask(task, never)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  const broken = agentOn(machine({ codex: "echo oops >&2; exit 3" }, { CODEX_API_KEY: "ck-1" }));
  await expect(broken.agent.planTask(task, never)).rejects.toMatchObject({
    code: "META_UNAVAILABLE",
  });
  expect(broken.clock.slept).toHaveLength(3);
});

test("a CLI that sits waiting for a network is ended and said to have none", async () => {
  const wait = { type: "error", message: "Reconnecting... waiting for network (no route)" };
  const host = machine({ codex: `${lines([wait, wait, wait])}\nsleep 60` }, { CODEX_API_KEY: "k" });
  await expect(agentOn(host).agent.planTask(task, never)).rejects.toMatchObject({
    code: "META_UNAVAILABLE",
    message: expect.stringContaining("codex cannot reach its model") as string,
  });
});

test("a CLI over its time is ended, and a cancel ends it at once; no scratch folder is left", async () => {
  const host = machine({ codex: "sleep 60" }, { CODEX_API_KEY: "ck-1" });
  const slow = agentOn(host, { cliTimeoutSec: 0.3, clock: systemClock });
  await expect(slow.agent.planTask(task, never)).rejects.toMatchObject({ code: "META_TIMEOUT" });
  const stop = new AbortController();
  const running = agentOn(host, { clock: systemClock }).agent.planTask(task, stop.signal);
  await expect
    .poll(() => readdirSync(tmpdir()).some((name) => name.startsWith("multiverse-meta-")), {
      timeout: 5_000,
    })
    .toBe(true);
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: "CANCELED" });
});
