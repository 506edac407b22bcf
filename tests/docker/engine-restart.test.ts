import { connectEngine } from "@multiverse/agents/docker/engine";
import { ownerOf, removeOrphans } from "@multiverse/agents/sandbox/docker-orphans";
import type { SandboxHandle } from "@multiverse/agents/sandbox/sandbox";
import { expect, test } from "vitest";
import { describeOnSecondEngine } from "./on-second-engine.ts";
import { runScript, tempRepo, testSpec } from "./sandbox.ts";
import { sandboxOn } from "./second-engine.ts";

describeOnSecondEngine("an engine that goes away", { liveRestore: false }, (engine) => {
  const start = (owner: string): Promise<SandboxHandle> =>
    sandboxOn(engine(), owner).start(
      testSpec(tempRepo(), { workspaceId: "restart" }),
      new AbortController().signal,
      () => {},
    );

  test("in the middle of a command is told as such, in time, and the next start is refused with what to do", async () => {
    const handle = await start(ownerOf(process.pid));
    const lines: string[] = [];
    const plan = {
      command: "sh",
      args: ["-c", "echo begun; sleep 1000"],
      env: {},
      workdir: ".",
      stdin: "",
    };
    const running = handle.exec(
      { ...plan, timeoutSec: 300, idleTimeoutSec: 0 },
      new AbortController().signal,
      ({ line }) => lines.push(line),
    );
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual(["begun"]);
    await engine().stop();
    expect(await running).toMatchObject({
      end: "lost",
      exitCode: null,
      detail: expect.stringMatching(
        /Docker stopped or was restarted|stopped from outside/,
      ) as string,
    });
    await expect(start(ownerOf(process.pid))).rejects.toMatchObject({
      code: "DOCKER_UNAVAILABLE",
      retryable: true,
    });
    await expect(runScript(handle, "true")).resolves.toMatchObject({ end: "lost" });
    await handle.stop();
  }, 60_000);

  test("and comes back: what its dead owners left is removed, and new containers work", async () => {
    await engine().start();
    const api = connectEngine(engine().socket);
    const before = (await api.call("GET", "/containers/json?all=1")) as unknown[];
    expect(before).toHaveLength(1);
    const left = await start("4194304@never");
    const removed = await removeOrphans(api, "restart");
    expect(removed.map((id) => id.slice(0, 12))).toContain(left.id);
    const handle = await start(ownerOf(process.pid));
    expect(await runScript(handle, "echo works")).toMatchObject({
      end: "exited",
      stdout: "works",
    });
    await handle.stop();
    api.close();
  }, 90_000);
});
