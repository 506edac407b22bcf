import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toCamel } from "@multiverse/protocol/case";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { WorkerSection } from "@multiverse/protocol/task-file";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codex } from "../cli/codex.ts";
import { localSandbox } from "../sandbox/local.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { call, speaking, workerOptions } from "../testing/worker-options.ts";
import { createWorker, type WorkerInSandbox } from "../worker-in-sandbox.ts";

const never = new AbortController().signal;
const DONE = `cat > prompt.txt; [ -e tried ] || { touch tried; exit 137; }
echo '{"type":"item.completed","item":{"type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'`;

let folder: string;
let events: RunEventBody[];
let limits: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "oom-"));
  mkdirSync(join(folder, "repo"));
  events = [];
  limits = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What Docker makes of a kill for want of memory; how it knows is tested with Docker itself. */
const killing = (sandbox: Sandbox): Sandbox => ({
  ...sandbox,
  async start(spec, signal, report) {
    limits.push(spec.memory);
    const handle = await sandbox.start(spec, signal, report);
    return {
      ...handle,
      async exec(...asked) {
        const result = await handle.exec(...asked);
        return result.exitCode === 137 ? { ...result, end: "oom", exitCode: null } : result;
      },
    };
  },
});

function worker(memory: object, version = "echo 1", hostEnv: object = {}): WorkerInSandbox {
  const cli = {
    ...speaking(codex, DONE),
    versionPlan: (path: string | null) => ({
      ...codex.versionPlan(path),
      command: "sh",
      args: ["-c", version],
      workdir: ".",
    }),
  };
  const options = workerOptions(folder, events, { "codex-cli": cli });
  const section = { kind: "codex-cli", sandbox: "local", ...memory };
  return createWorker({
    ...options,
    hostEnv: { ...options.hostEnv, ...hostEnv },
    worker: toCamel(WorkerSection.parse(section)),
    sandboxOf: () => killing(localSandbox(options.hostEnv)),
  });
}

test("a run without enough memory is done once more in a larger sandbox, and told what was begun", async () => {
  const subject = worker({ memory: "1g", memory_on_oom: "2g" });
  await subject.open(never);
  expect(await subject.run(call(), never)).toMatchObject({ succeeded: true, summary: "done" });
  await subject.close();
  expect(limits).toEqual(["1g", "2g"]);
  expect(readFileSync(join(folder, "repo/prompt.txt"), "utf8")).toContain(
    "codex-cli was stopped: out of memory (OOM): the sandbox's limit of 1g was reached",
  );
  expect(events).toContainEqual(
    expect.objectContaining({ message: "out of memory (OOM) at 1g: once more with 2g" }),
  );
});

test("the larger limit can be set for every task, and a task's own wins", async () => {
  const setting = { MULTIVERSE_MEMORY_ON_OOM: "3g" };
  for (const own of [{}, { memory_on_oom: "2g" }]) {
    const subject = worker({ memory: "1g", ...own }, "echo 1", setting);
    await subject.run(call(), never);
    await subject.close();
    rmSync(join(folder, "repo/tried"));
  }
  expect(limits).toEqual(["1g", "3g", "1g", "2g"]);
});

test.each([
  ["no larger limit is set", {}],
  ["the other limit is not larger", { memory_on_oom: "1024m" }],
])("where %s the failure names the limit", async (_, over) => {
  const subject = worker({ memory: "1g", ...over });
  const result = await subject.run(call(), never);
  await subject.close();
  expect(result).toMatchObject({ succeeded: false, exitCode: null });
  expect(result.failure).toEqual({
    kind: "oom",
    message: "out of memory (OOM): the sandbox's limit of 1g was reached",
    retryAt: null,
  });
  expect(limits).toEqual(["1g"]);
});

test("a sandbox too small for the CLI itself is made larger at once, or refused with what to do", async () => {
  const tiny = "[ -e seen ] || { touch seen; exit 137; }";
  const subject = worker({ memory: "64m", memory_on_oom: "1g" }, tiny);
  await subject.open(never);
  await subject.close();
  expect(limits).toEqual(["64m", "1g"]);
  rmSync(join(folder, "repo/seen"));
  await expect(worker({ memory: "64m" }, tiny).open(never)).rejects.toMatchObject({
    code: "OUT_OF_MEMORY",
    message: expect.stringContaining("64m") as string,
    hint: expect.stringContaining("memory_on_oom") as string,
  });
});

test("a check without enough memory is done once more as well, and its second end counts", async () => {
  const plan = { command: "exit 137", workdir: ".", timeoutSec: 10 };
  const subject = worker({ memory: "1g", memory_on_oom: "2g" });
  expect(await subject.check(plan, never, () => {})).toMatchObject({
    end: "oom",
    detail: expect.stringContaining("limit of 2g") as string,
  });
  await subject.close();
  expect(limits).toEqual(["1g", "2g"]);
});
