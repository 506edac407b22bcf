import { expect, test } from "vitest";
import { WorkerCall } from "@multiverse/protocol/meta/next-action";
import { toCamel } from "@multiverse/protocol/case";
import { WorkerSection } from "@multiverse/protocol/task-file";
import { narrowWorkerCall } from "./narrow-worker-call.ts";

const narrow = (call: Record<string, unknown>, worker: Record<string, unknown> = {}) =>
  narrowWorkerCall(toCamel(WorkerCall.parse({ prompt: "p", ...call })), {
    repoPath: "/home/me/repo",
    worker: toCamel(WorkerSection.parse(worker)),
  });

test("what the task file names is taken as it is", () => {
  const worker = { cli_path: "/opt/codex", flags: ["-a"], env: { KEY: "env:KEY", MODE: "x" } };
  const { call, dropped } = narrow(
    {
      cli_path: "/opt/codex",
      flags: ["-a"],
      env: { KEY: "env:KEY", MODE: "y" },
      workdir: "packages/a",
      worker_type: "codex",
    },
    worker,
  );
  expect(dropped).toEqual([]);
  expect(call).toMatchObject({
    cliPath: "/opt/codex",
    flags: ["-a"],
    env: { MODE: "y" },
    workdir: "packages/a",
    workerType: "codex",
  });
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ["another program", { cli_path: "/bin/sh" }, /cli_path/],
  ["flags", { flags: ["--privileged"] }, /flags/],
  ["a variable of its own", { env: { LD_PRELOAD: "/tmp/x.so" } }, /LD_PRELOAD/],
  [
    "another host variable",
    { env: { KEY: "env:AWS_SECRET_ACCESS_KEY" } },
    /refers to another host variable/,
  ],
  ["a folder above", { workdir: "../.." }, /workdir/],
  ["an absolute folder", { workdir: "/etc" }, /workdir/],
  ["a folder that only begins like the repo", { workdir: "/home/me/repo-evil" }, /workdir/],
  ["a worker that does not exist", { worker_type: "hal" }, /worker_type/],
  ["the demo worker in place of a real one", { worker_type: "mock" }, /worker_type/],
])("%s is dropped and named", (_, call, message) => {
  const { call: narrowed, dropped } = narrow(call, { env: { KEY: "env:KEY" } });
  expect(dropped).toEqual([expect.stringMatching(message)]);
  expect(narrowed).toEqual({
    prompt: "p",
    mode: "exec",
    flags: [],
    env: {},
    toolSpecific: {},
    useStdin: true,
  });
});

test.each([
  ["/home/me/repo/src", "src"],
  ["/workspace/project", "."],
  ["./src/../lib", "lib"],
])("the folder %s is %s of the project", (workdir, inside) => {
  expect(narrow({ workdir }).call.workdir).toBe(inside);
});

test("a demo task never reaches a real CLI, whatever the model names", () => {
  expect(narrow({ worker_type: "codex-cli" }, { kind: "mock" })).toMatchObject({
    dropped: [],
    call: { prompt: "p" },
  });
  expect(narrow({ worker_type: "codex-cli" }, { kind: "mock" }).call.workerType).toBeUndefined();
});
