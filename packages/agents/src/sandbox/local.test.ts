import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTimeOf } from "../process-group.ts";
import { localSandbox } from "./local.ts";
import type { OutputLine, SandboxReport, SandboxSpec } from "./sandbox.ts";

const never = new AbortController().signal;
const spec = (over: Partial<SandboxSpec> = {}): SandboxSpec => ({
  taskId: "T-1",
  attemptId: "A-1",
  workspaceId: "W",
  epoch: 0,
  traceId: "trace-1",
  repoPath: mkdtempSync(join(tmpdir(), "local-")),
  image: null,
  env: {},
  logins: [],
  network: "default",
  allowHosts: [],
  gateway: false,
  memory: "1g",
  cpus: 1,
  ...over,
});
const shell = (script: string) => ({
  command: "sh",
  args: ["-c", script],
  env: {},
  workdir: ".",
  stdin: "",
  timeoutSec: 20,
  idleTimeoutSec: 0,
});

test("commands run in the project with the task's variables and the trace id, without the host's keys", async () => {
  const repoPath = mkdtempSync(join(tmpdir(), "local-"));
  const host = { ...process.env, OPENAI_API_KEY: "sk-hidden-123" };
  const handle = await localSandbox(host).start(
    spec({ repoPath, env: { MINE: "yes" } }),
    never,
    () => {},
  );
  const lines: OutputLine[] = [];
  const result = await handle.exec(
    shell("pwd; echo $MINE $MULTIVERSE_TRACE_ID; env"),
    never,
    (line) => lines.push(line),
  );
  const said = lines.map(({ line }) => line);
  expect(result).toMatchObject({ end: "exited", exitCode: 0 });
  expect(said.slice(0, 2)).toEqual([repoPath, "yes trace-1"]);
  expect(said.join()).not.toContain("sk-hidden-123");
});

test("stopping ends what is still running, may be done twice, and is told once", async () => {
  const events: Parameters<SandboxReport>[0][] = [];
  const handle = await localSandbox(process.env).start(spec(), never, (event) =>
    events.push(event),
  );
  let ready = false;
  const running = handle.exec(shell("echo ready; sleep 600"), never, () => (ready = true));
  await expect.poll(() => ready, { timeout: 5_000 }).toBe(true);
  await Promise.all([handle.stop(), handle.stop()]);
  expect(await running).toMatchObject({ end: "canceled" });
  expect(events).toMatchObject([{ phase: "starting" }, { phase: "started" }, { phase: "stopped" }]);
});

test.runIf(process.platform === "linux")(
  "a daemon that left its group is ended with the sandbox",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "local-"));
    const handle = await localSandbox(process.env).start(
      spec({ repoPath: folder }),
      never,
      () => {},
    );
    await handle.exec(
      shell(
        "setsid sh -c 'echo $$ > pid; exec sleep 600' >/dev/null 2>&1 & while [ ! -s pid ]; do sleep 0.05; done",
      ),
      never,
      () => {},
    );
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    expect(startTimeOf(pid)).not.toBe(null);
    await handle.stop();
    await expect.poll(() => startTimeOf(pid), { timeout: 2_000 }).toBe(null);
  },
);

test("a folder that is not there and a canceled start are errors that say so", async () => {
  const sandbox = localSandbox(process.env);
  await expect(
    sandbox.start(spec({ repoPath: "/no/such/folder" }), never, () => {}),
  ).rejects.toMatchObject({ code: "SANDBOX_FAILED" });
  await expect(sandbox.start(spec(), AbortSignal.abort(), () => {})).rejects.toMatchObject({
    code: "CANCELED",
  });
});
