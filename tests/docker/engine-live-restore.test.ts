import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecResult, SandboxHandle, SandboxReport } from "@multiverse/agents/sandbox/sandbox";
import { expect, test } from "vitest";
import { containersWith } from "../harness/labelled.ts";
import { describeOnSecondEngine } from "./on-second-engine.ts";
import { runScript, tempRepo, testSpec } from "./sandbox.ts";
import { sandboxOn, type SecondEngine } from "./second-engine.ts";

/** Says a number ten times a second until it is told to go on, and exits with a code that no accident has. */
const COUNT =
  'i=0; while [ ! -e go-on ]; do i=$((i+1)); echo "line $i"; echo "err $i" >&2; sleep 0.1; done; echo last; exit 7';

interface Counting {
  readonly repo: string;
  readonly handle: SandboxHandle;
  readonly events: Parameters<SandboxReport>[0][];
  readonly stdout: string[];
  readonly stderr: string[];
  readonly running: Promise<ExecResult>;
  readonly stop: AbortController;
  /** Waits until so many more lines have come. */
  more(lines: number): Promise<void>;
}

async function startCounting(engine: SecondEngine, timeoutSec = 120): Promise<Counting> {
  const repo = tempRepo();
  const events: Counting["events"] = [];
  const { signal } = new AbortController();
  const spec = testSpec(repo, { workspaceId: "live" });
  const handle = await sandboxOn(engine).start(spec, signal, (event) => events.push(event));
  const said = { stdout: [] as string[], stderr: [] as string[] };
  const plan = { command: "sh", args: ["-c", COUNT], env: {}, workdir: ".", stdin: "", timeoutSec };
  const stop = new AbortController();
  const running = handle.exec({ ...plan, idleTimeoutSec: 30 }, stop.signal, ({ stream, line }) =>
    said[stream].push(line),
  );
  const more = async (lines: number): Promise<void> => {
    const before = said.stdout.length;
    await expect
      .poll(() => said.stdout.length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(before + lines);
  };
  await more(3);
  return { repo, handle, events, ...said, running, stop, more };
}

const numbered = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1}`);

/** Everything came, in order, and its end is its own. */
async function expectWhole({ running, stdout, stderr }: Counting): Promise<void> {
  expect(await running).toMatchObject({ end: "exited", exitCode: 7 });
  expect(stdout).toEqual([...numbered("line", stdout.length - 1), "last"]);
  expect(stderr).toEqual(numbered("err", stdout.length - 1));
}

describeOnSecondEngine(
  "an engine that keeps its containers over a restart",
  { liveRestore: true },
  (engine) => {
    test.each<NodeJS.Signals>(["SIGTERM", "SIGKILL"])(
      "ended by %s and started again loses no line and no exit code of what runs",
      async (signal) => {
        const counting = await startCounting(engine());
        await engine().stop(signal);
        await counting.more(15);
        await engine().start();
        await counting.more(5);
        writeFileSync(join(counting.repo, "go-on"), "");
        await expectWhole(counting);
        expect(counting.events).toContainEqual(
          expect.objectContaining({
            type: "log",
            level: "warn",
            message: expect.stringContaining("the command goes on") as string,
          }),
        );
        const after = await runScript(counting.handle, "echo the same container");
        expect(after).toMatchObject({ end: "exited", stdout: "the same container" });
        await counting.handle.stop();
      },
      120_000,
    );

    test("what ends while it is away has its result all the same, and the next command waits for it", async () => {
      const counting = await startCounting(engine());
      await engine().stop("SIGKILL");
      writeFileSync(join(counting.repo, "go-on"), "");
      await expectWhole(counting);
      const next = runScript(counting.handle, "echo after");
      await engine().start();
      expect(await next).toMatchObject({ end: "exited", exitCode: 0, stdout: "after" });
      await counting.handle.stop();
    }, 120_000);

    test("while it takes calls and answers none, output goes on, and a cancel does not wait for it for ever", async () => {
      const counting = await startCounting(engine());
      engine().freeze();
      await counting.more(10);
      counting.stop.abort();
      await expect(counting.running).rejects.toMatchObject({ code: "DOCKER_UNAVAILABLE" });
      engine().thaw();
      await counting.handle.stop();
      expect(await containersWith(engine(), {})).toEqual([]);
    }, 120_000);

    test("what must be ended while it is away ends with what to do, and is not waited for", async () => {
      const counting = await startCounting(engine(), 5);
      await engine().stop();
      await expect(counting.running).rejects.toMatchObject({
        code: "DOCKER_UNAVAILABLE",
        retryable: true,
      });
      await engine().start();
      await counting.handle.stop();
      expect(await containersWith(engine(), {})).toEqual([]);
    }, 120_000);

    test("without live-restore, killed and started again: what ran is lost, and told as that", async () => {
      await engine().stop();
      await engine().start({ liveRestore: false });
      const counting = await startCounting(engine());
      await engine().stop("SIGKILL");
      await counting.more(5);
      await engine().start();
      expect(await counting.running).toMatchObject({ end: "lost", exitCode: null });
      expect(counting.stdout).toEqual(numbered("line", counting.stdout.length));
      await counting.handle.stop();
    }, 120_000);
  },
);
