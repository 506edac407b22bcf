import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callDocker } from "../harness/docker-api.ts";
import type { DockerEngine } from "../harness/docker.ts";
import { containersWith } from "../harness/labelled.ts";
import { startScriptedModel } from "../harness/scripted-model/server.ts";
import { inOrder } from "../harness/scripted-model/script.ts";
import { runRunner, startRunner } from "../runner/harness/agent-runner.ts";
import { addressOf, runEnv, type CliKind } from "./cli-task.ts";
import { describeClis, KINDS } from "./real-cli.ts";

const CANARY = "canary-4f0d9a7be1c24655";

/** The containers of a task that are there, running or not. */
const containersOf = async (docker: DockerEngine, task: string): Promise<string[]> =>
  (await containersWith(docker, { task })).map(({ Id }) => Id);

/** What anybody can see of a task's containers. */
async function inspected(docker: DockerEngine, task: string): Promise<string[]> {
  const look = async (id: string): Promise<string> =>
    (await callDocker(docker.socket, "GET", `/containers/${id}/json`)).body.toString();
  return Promise.all((await containersOf(docker, task)).map(look));
}

async function commandsIn({ socket }: DockerEngine, id: string): Promise<string[]> {
  const { body } = await callDocker(socket, "GET", `/containers/${id}/top?ps_args=-eo%20pid,args`);
  return (JSON.parse(body.toString()) as { Processes: [string, string][] }).Processes.map(
    ([, args]) => args,
  );
}

const openModel = () =>
  startScriptedModel({
    hello: inOrder(
      { write: { path: "hello.txt", content: "hello\n" } },
      { say: "Wrote hello.txt." },
    ),
    sleep: inOrder({ run: "echo begun > begun.txt; sleep 1000" }, { hang: true }),
    leak: inOrder(
      {
        run: `printf %s "$CANARY"; printf %s "$CANARY" | base64; printf canary-4f0d; sleep 0.2; printf 9a7be1c24655; env > hello.txt; cat ~/.codex/auth.json ~/.claude/* ~/.gemini/oauth* 2>/dev/null; true`,
      },
      { say: `The secret is ${CANARY}.` },
    ),
  });

describeClis("the real CLIs in trouble", "a real CLI in trouble", openModel, (stage) => {
  test.each(KINDS)(
    "%s that hangs is ended at the time-out and nothing of it is left",
    async (kind) => {
      const { docker, place } = stage;
      const id = `hang-${kind}`;
      // Long enough for the CLI to come to its command on a machine that has other things to do.
      const worker = { max_run_time_sec: kind === "gemini-cli" ? 45 : 30, memory: "1g" };
      const base = stage.task({ id, kind, scenario: "sleep" }) as {
        runner: { worker: object };
      };
      const task = {
        ...base,
        // The test command is the first thing that runs after the time-out: it waits until we have looked.
        task: {
          id,
          title: "Say hello",
          prd: { text: "x" },
          test: { command: "touch looked-at; while [ ! -e go-on ]; do sleep 0.1; done", cwd: "." },
        },
        runner: { ...base.runner, max_loops: 0, worker: { ...base.runner.worker, ...worker } },
      };
      const run = startRunner(place, { task, env: runEnv(place) });
      await expect
        .poll(() => existsSync(join(place.repo, "begun.txt")), { timeout: 60_000 })
        .toBe(true);
      const [container = ""] = await containersOf(docker, id);
      expect((await commandsIn(docker, container)).join("\n")).toContain("sleep 1000");
      await expect
        .poll(() => existsSync(join(place.repo, "looked-at")), { timeout: 90_000 })
        .toBe(true);
      const left = (await commandsIn(docker, container)).filter(
        (args) => !/docker-init|sh -c trap|sleep (?:3600|0\.1)|looked-at/.test(args),
      );
      expect(left).toEqual([]);
      writeFileSync(join(place.repo, "go-on"), "");
      const { events } = await run.ended;
      const completed = events.find(
        (event) => event.type === "worker" && event.phase === "completed",
      );
      expect(completed).toMatchObject({
        exitCode: null,
        summary: expect.stringContaining("max_run_time_sec") as string,
      });
      expect(await containersOf(stage.docker, id)).toEqual([]);
    },
    180_000,
  );

  test.each(KINDS)(
    "%s that is canceled is gone with its container within 15 s",
    async (kind) => {
      const { place } = stage;
      const id = `cancel-${kind}`;
      const run = startRunner(place, {
        task: stage.task({ id, kind, scenario: "sleep" }),
        env: runEnv(place),
      });
      await expect
        .poll(() => existsSync(join(place.repo, "begun.txt")), { timeout: 60_000 })
        .toBe(true);
      const asked = Date.now();
      run.child.kill("SIGTERM");
      const { code, result } = await run.ended;
      expect(Date.now() - asked).toBeLessThan(15_000);
      expect(code).toBe(143);
      expect(result()).toMatchObject({ reason: "canceled" });
      expect(await containersOf(stage.docker, id)).toEqual([]);
    },
    120_000,
  );

  test.each<[CliKind, string]>([
    ["codex-cli", "24m"],
    ["claude-code", "64m"],
    ["gemini-cli", "64m"],
  ])(
    "%s with too little memory says so",
    async (kind, memory) => {
      const { code, result } = await runRunner(stage.place, {
        task: stage.task({ id: `oom-${kind}`, kind, scenario: "hello", worker: { memory } }),
        env: runEnv(stage.place),
      });
      expect(code).toBe(1);
      expect(result()).toMatchObject({
        reason: "oom",
        summary: `out of memory (OOM): the sandbox's limit of ${memory} was reached`,
        hint: expect.stringContaining("memory_on_oom") as string,
      });
    },
    120_000,
  );

  test("with too little memory and a larger limit for a second try it finishes", async () => {
    const { place } = stage;
    const id = "oom-twice";
    const worker = { memory: "24m", memory_on_oom: "1g" };
    const { code, events } = await runRunner(place, {
      task: stage.task({ id, kind: "codex-cli", scenario: "hello", worker }),
      env: runEnv(place),
    });
    expect(code).toBe(0);
    expect(readFileSync(join(place.repo, "hello.txt"), "utf8")).toBe("hello\n");
    expect(events).toContainEqual(
      expect.objectContaining({ message: "out of memory (OOM) at 24m: once more with 1g" }),
    );
  }, 120_000);

  test.each(KINDS)(
    "a secret given to %s is shown nowhere, in whatever form it is printed",
    async (kind) => {
      const { place } = stage;
      const id = `canary-${kind}`;
      const record = join(place.folder, "record.jsonl");
      const eventFile = join(place.folder, "events.jsonl");
      const resultFile = join(place.folder, "result.json");
      const base = stage.task({ id, kind, scenario: "leak" }) as {
        runner: { worker: { env: object } };
      };
      const worker = {
        ...base.runner.worker,
        env: { ...base.runner.worker.env, CANARY: "env:HOST_CANARY" },
      };
      const run = startRunner(place, {
        task: { ...base, runner: { ...base.runner, worker } },
        args: [
          "--json",
          "--record",
          record,
          "--events",
          eventFile,
          "--result",
          resultFile,
          "--log-level",
          "debug",
        ],
        env: { ...runEnv(place), HOST_CANARY: CANARY },
      });
      await run.seen((event) => event.type === "worker" && event.phase === "started");
      const seen = await inspected(stage.docker, id);
      expect(seen.length).toBeGreaterThan(0);
      const { code, stdout, stderr } = await run.ended;
      expect(code).toBe(0);
      expect(readFileSync(join(place.repo, "hello.txt"), "utf8")).toContain(CANARY);
      const notes = readdirSync(join(place.repo, ".agent-runner"), {
        recursive: true,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
      const everything = [
        stdout,
        stderr,
        ...seen,
        ...notes,
        ...[record, eventFile, resultFile].map((path) => readFileSync(path, "utf8")),
      ].join("\n");
      expect(everything).not.toContain(CANARY);
      expect(everything).not.toContain(Buffer.from(CANARY).toString("base64").slice(0, 20));
      expect(everything).toContain("***");
    },
    120_000,
  );

  test("the key in a login file is as hidden as one in a variable", async () => {
    const { model, place } = stage;
    mkdirSync(join(place.home, ".codex"));
    writeFileSync(
      join(place.home, ".codex/auth.json"),
      JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: CANARY }),
    );
    const task = { id: "canary-login", kind: "codex-cli", scenario: "leak" } as const;
    const env = addressOf(stage.to(task));
    const run = startRunner(place, {
      task: stage.task({ ...task, worker: { env, memory: "1g" } }),
      env: runEnv(place),
    });
    await run.seen((event) => event.type === "worker" && event.phase === "started");
    const seen = await inspected(stage.docker, "canary-login");
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(0);
    expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${CANARY}`);
    const note = execFileSync("cat", [join(place.repo, ".agent-runner/task-canary-login.md")], {
      encoding: "utf8",
    });
    expect([stdout, stderr, note, ...seen].join("\n")).not.toContain(CANARY);
  }, 120_000);
});
