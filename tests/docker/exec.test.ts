import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { connectEngine, type Engine } from "@multiverse/agents/docker/engine";
import { removeOrphans } from "@multiverse/agents/sandbox/docker-orphans";
import { createDockerSandbox } from "@multiverse/agents/sandbox/docker";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { openTestSandbox, tempRepo, testSpec, type TestSandbox } from "./sandbox.ts";

const docker = await findDockerWithBaseImage();

/** What runs in a container, as the engine sees it from outside. */
async function processesIn(engine: Engine, id: string): Promise<string[]> {
  const top = (await engine.call("GET", `/containers/${id}/top?ps_args=-eo%20pid,args`)) as {
    Processes: [string, string][];
  };
  return top.Processes.map(([, args]) => args);
}
const keeper = /docker-init|sh -c trap|sleep 3600/;

describe.skipIf(skipWithout(docker, "commands in containers"))("a command in a container", () => {
  let box: TestSandbox;
  let engine: Engine;
  beforeAll(() => {
    engine = connectEngine(present(docker).socket);
  });
  afterAll(() => engine.close());
  beforeEach(async () => {
    box = await openTestSandbox({ env: { FROM_TASK: 'it\'s "here"\nand here' }, memory: "128m" });
  });
  afterEach(() => box.remove());

  test("has its output told apart, its exit code, its input and its variables", async () => {
    const script = 'cat; printf "%s|" "$FROM_TASK" "$OF_RUN"; echo oops >&2; pwd; exit 7';
    const stdin = "line 1\nlast without end\0";
    const run = await box.run(script, { stdin, env: { OF_RUN: "a'b$c" } });
    expect(run).toMatchObject({ end: "exited", exitCode: 7, stderr: "oops" });
    expect(run.stdout).toBe(`${stdin}it's "here"\nand here|a'b$c|/workspace/project`);
  });

  test("that does not exist is 127, in a folder that does not exist 125, with a NUL byte 126", async () => {
    expect(await box.run("", { command: "no-such-program", args: [] })).toMatchObject({
      exitCode: 127,
    });
    expect(await box.run("true", { workdir: "nowhere" })).toMatchObject({ exitCode: 125 });
    expect(await box.run("true\0")).toMatchObject({ end: "exited", exitCode: 126 });
  });

  test("a million short lines and bytes that are no UTF-8 come through in order", async () => {
    let count = 0;
    let last = "";
    const plan = { command: "sh", args: ["-c", "seq 1 1000000; printf '\\377\\376x\\n'"], env: {} };
    const limits = { workdir: ".", stdin: "", timeoutSec: 120, idleTimeoutSec: 0 };
    const before = process.memoryUsage().rss;
    const result = await box.handle.exec(
      { ...plan, ...limits },
      new AbortController().signal,
      ({ line }) => {
        count += 1;
        last = line;
      },
    );
    expect(result).toMatchObject({ end: "exited", exitCode: 0 });
    expect([count, last]).toEqual([1_000_001, "\ufffd\ufffdx"]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);
  }, 120_000);

  test("a gigabyte without a line end costs no memory and is cut with a mark", async () => {
    global.gc?.();
    const before = process.memoryUsage().rss;
    let most = before;
    const sampler = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
    const run = await box.run("head -c 1073741824 /dev/zero | tr '\\0' x", { timeoutSec: 300 });
    clearInterval(sampler);
    expect(run).toMatchObject({ end: "exited", exitCode: 0 });
    expect(run.stdout).toMatch(/^x{65536} … \[line cut at 65536 bytes\]$/);
    expect(most - before).toBeLessThan(256 * 1_048_576);
  }, 300_000);

  test("a hang is ended at the time-out, with everything it started", async () => {
    const script =
      "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000' & (sleep 1000 &) ; nohup sleep 1000 >/dev/null 2>&1 & while :; do sleep 1; done";
    const run = await box.run(script, { timeoutSec: 1 });
    expect(run).toMatchObject({ end: "timeout", exitCode: null });
    const left = (await processesIn(engine, box.handle.id)).filter((args) => !keeper.test(args));
    expect(left).toEqual([]);
    expect(await box.run("echo still here")).toMatchObject({ stdout: "still here" });
  }, 60_000);

  test("silence is ended at the idle time-out, output of any kind is not silence", async () => {
    expect(await box.run("sleep 100", { idleTimeoutSec: 1 })).toMatchObject({
      end: "idle_timeout",
    });
    const dots = "i=0; while [ $i -lt 15 ]; do printf .; sleep 0.2; i=$((i+1)); done";
    expect(await box.run(dots, { idleTimeoutSec: 2 })).toMatchObject({
      end: "exited",
      exitCode: 0,
    });
  }, 60_000);

  test("what runs before it cannot change how it is run, what it exits with, or how it is ended", async () => {
    const spoil =
      "for f in shim kill env run-2.pid run-3.pid; do echo 'exit 0' > /run/multiverse/$f; done; (while :; do for p in /run/multiverse-pipes/*.end; do printf 'begun\\n0\\n' > $p; done; done) >/dev/null 2>&1 & true";
    expect(await box.run(spoil)).toMatchObject({ exitCode: 0 });
    expect(await box.run("echo $FROM_TASK; exit 9")).toMatchObject({
      end: "exited",
      exitCode: 9,
      stdout: 'it\'s "here" and here',
    });
    expect(await box.run("sleep 1000", { timeoutSec: 1 })).toMatchObject({ end: "timeout" });
    const left = (await processesIn(engine, box.handle.id)).filter((args) => !keeper.test(args));
    expect(left).toEqual([]);
  }, 60_000);

  test("a cancel ends it at once", async () => {
    const stop = new AbortController();
    const running = box.run("sleep 1000 & echo begun; wait", {}, stop.signal);
    await expect
      .poll(async () => (await processesIn(engine, box.handle.id)).join())
      .toContain("sleep 1000");
    stop.abort();
    const run = await running;
    expect(run.end).toBe("canceled");
    expect((await processesIn(engine, box.handle.id)).filter((args) => !keeper.test(args))).toEqual(
      [],
    );
  }, 60_000);

  test("ending one leaves another that runs beside it alone", async () => {
    const other = box.run("sleep 3; echo done", { timeoutSec: 30 });
    const hung = await box.run("sleep 1000", { timeoutSec: 1 });
    expect(hung.end).toBe("timeout");
    expect(await other).toMatchObject({ end: "exited", exitCode: 0, stdout: "done" });
  }, 60_000);

  test("a daemon that holds the output open does not hold up the end", async () => {
    const run = await box.run("sleep 1000 & echo said", { timeoutSec: 30 });
    expect(run).toMatchObject({ end: "exited", exitCode: 0, stdout: "said" });
  }, 60_000);

  test("a container in which no process can be started any more is replaced by a new one", async () => {
    const bomb = "while :; do (trap '' TERM; exec sleep 1000) & done";
    expect((await box.run(bomb)).stderr).toMatch(/fork/i);
    const after = await box.run("echo alive");
    expect(after).toMatchObject({ end: "exited", exitCode: 0, stdout: "alive" });
  }, 90_000);

  test("no memory left is told as such, and told from a kill", async () => {
    const hog = await box.run("x=aaaaaaaa; while :; do x=$x$x; done", { timeoutSec: 60 });
    expect(hog).toMatchObject({ end: "oom", exitCode: null });
    expect(await box.run("kill -9 $$")).toMatchObject({ end: "exited", exitCode: 137 });
  }, 90_000);

  test("a container that is taken away is a lost sandbox, not a failed command", async () => {
    const running = box.run("sleep 1000", { timeoutSec: 60 });
    await expect
      .poll(async () => (await processesIn(engine, box.handle.id)).join())
      .toContain("sleep 1000");
    await engine.call("DELETE", `/containers/${box.handle.id}?force=1`);
    expect(await running).toMatchObject({
      end: "lost",
      detail: expect.stringMatching(/removed|stopped from outside/) as string,
    });
  }, 60_000);

  test("stopping it twice is fine, takes moments, and leaves no container", async () => {
    const running = box.run("sleep 1000", { timeoutSec: 60 });
    await Promise.all([box.handle.stop(), box.handle.stop()]);
    expect((await running).end).toBe("canceled");
    const left = await engine.call("GET", `/containers/${box.handle.id}/json`, { ok: [200, 404] });
    expect(left).toMatchObject({ message: expect.stringContaining("No such container") as string });
  }, 60_000);
});

describe.skipIf(skipWithout(docker, "containers of dead owners"))(
  "containers whose owner has died",
  () => {
    test("are removed, those of the living and of other workspaces are not", async () => {
      const engine = connectEngine(present(docker).socket);
      const dead = createDockerSandbox({
        hostEnv: process.env,
        home: "/nonexistent-home",
        dockerfiles: "",
        owner: "4194304@never",
        unique: () => `dead-${process.pid}-${Math.random().toString(36).slice(2)}`,
        sidecarPath: "",
        allowPrivateHosts: [],
      });
      const signal = new AbortController().signal;
      const workspaceId = `orphans-${process.pid}`;
      const mine = await openTestSandbox({ workspaceId });
      const orphan = await dead.start(testSpec(tempRepo(), { workspaceId }), signal, () => {});
      const foreign = await dead.start(
        testSpec(tempRepo(), { workspaceId: `${workspaceId}-b` }),
        signal,
        () => {},
      );
      const removed = await removeOrphans(engine, workspaceId);
      expect(removed.map((id) => id.slice(0, 12))).toEqual([orphan.id]);
      expect(await mine.run("echo alive")).toMatchObject({ stdout: "alive" });
      await Promise.all([mine.remove(), orphan.stop(), foreign.stop()]);
      engine.close();
    }, 60_000);
  },
);

describe("an engine that is not what it should be", () => {
  const sandboxOn = (socket: string) =>
    createDockerSandbox({
      hostEnv: { DOCKER_HOST: `unix://${socket}` },
      home: "/nonexistent-home",
      dockerfiles: "",
      owner: "1@x",
      unique: () => "u",
      sidecarPath: "",
      allowPrivateHosts: [],
    });

  test("is not there: an error that says to start it, and nothing is changed", async () => {
    const repo = tempRepo();
    const start = sandboxOn(join(repo, "no.sock")).start(
      testSpec(repo),
      new AbortController().signal,
      () => {},
    );
    await expect(start).rejects.toMatchObject({
      code: "DOCKER_UNAVAILABLE",
      hint: expect.stringContaining("Start Docker") as string,
    });
    expect(readdirSync(repo)).toEqual([]);
  });

  test("takes the call and never answers: an error in time", async () => {
    const socket = join(tempRepo(), "mute.sock");
    const mute = createServer(() => {}).listen(socket);
    await once(mute, "listening");
    const engine = connectEngine(socket);
    await expect(engine.call("GET", "/_ping", { timeoutMs: 300 })).rejects.toMatchObject({
      code: "DOCKER_UNAVAILABLE",
      message: expect.stringContaining("did not answer") as string,
    });
    engine.close();
    mute.close();
  });

  test("is somewhere else: refused with a hint", async () => {
    const sandbox = createDockerSandbox({
      hostEnv: { DOCKER_HOST: "tcp://10.0.0.1:2375" },
      home: "/nonexistent-home",
      dockerfiles: "",
      owner: "1@x",
      unique: () => "u",
      sidecarPath: "",
      allowPrivateHosts: [],
    });
    const start = sandbox.start(testSpec(tempRepo()), new AbortController().signal, () => {});
    await expect(start).rejects.toMatchObject({ code: "DOCKER_UNAVAILABLE" });
  });
});
