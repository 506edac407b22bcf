import { chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "@multiverse/protocol/run-event";
import { beforeEach, expect, test } from "vitest";
import { startScriptedModel } from "../harness/scripted-model/server.ts";
import { inOrder } from "../harness/scripted-model/script.ts";
import { runRunner } from "../runner/harness/agent-runner.ts";
import { runEnv } from "./cli-task.ts";
import { describeClis, KINDS } from "./real-cli.ts";

const openModel = () =>
  startScriptedModel({
    hello: inOrder(
      { write: { path: "hello.txt", content: "hello\n" } },
      { say: "Wrote hello.txt." },
    ),
    login: () => ({ refuse: "login" }),
  });

describeClis("the real CLIs in containers", "a real CLI in a container", openModel, (stage) => {
  beforeEach(() => chownSync(stage.place.repo, 4_321, 4_321));

  test.each(KINDS)(
    "%s writes a file, says so, and the task is complete",
    async (kind) => {
      const { place } = stage;
      const { code, events, result, stderr } = await runRunner(place, {
        task: stage.task({ id: `hello-${kind}`, kind, scenario: "hello" }),
        env: runEnv(place),
      });
      expect(stderr + JSON.stringify(result()), "the run's own account").toContain("COMPLETE");
      expect(code).toBe(0);
      expect(readFileSync(join(place.repo, "hello.txt"), "utf8")).toBe("hello\n");
      const owner = statSync(join(place.repo, "hello.txt"));
      expect([owner.uid, owner.gid]).toEqual([4_321, 4_321]);
      const completed = events.find(
        (event) => event.type === "worker" && event.phase === "completed",
      );
      expect(completed).toMatchObject({
        tool: kind,
        exitCode: 0,
        summary: "Wrote hello.txt.",
        files: ["hello.txt"],
        usage: { inputTokens: 2 * 1_234, outputTokens: 2 * 56 },
      });
      expect(kindsIn(events)).toEqual(expect.arrayContaining(["file_change", "message"]));
      expect(existsSync(join(place.repo, ".git"))).toBe(false);
    },
    120_000,
  );

  test.each(KINDS)(
    "%s with a refused key ends in seconds and says how to log in",
    async (kind) => {
      const started = Date.now();
      const { code, result } = await runRunner(stage.place, {
        task: stage.task({ id: `login-${kind}`, kind, scenario: "login" }),
        env: runEnv(stage.place),
      });
      expect(code).toBe(1);
      expect(result()).toMatchObject({ state: "FAILED", reason: "login_missing" });
      expect(result().summary).toMatch(/log in/i);
      expect(Date.now() - started).toBeLessThan(30_000);
    },
    120_000,
  );
});

const kindsIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === "worker_event" ? [event.kind] : []));
