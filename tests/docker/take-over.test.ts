import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runRunner } from "../runner/harness/agent-runner.ts";
import { runEnv, type CliKind } from "./cli-task.ts";
import { describeClis } from "./real-cli.ts";
import { limitingModel, takeOverIn, takeOverTask } from "./take-over.ts";

describeClis("taking over after a limit", "a real CLI at its limit", limitingModel, (stage) => {
  // How fast is measured by `npm run bench -- take-over`; here it must be the very next thing that happens.
  test.each<[first: CliKind, second: CliKind]>([
    ["codex-cli", "claude-code"],
    ["claude-code", "gemini-cli"],
    ["gemini-cli", "codex-cli"],
  ])(
    "after a limit of %s, %s takes over at once and finishes in the same tree",
    async (first, second) => {
      const { model, host, place } = stage;
      const task = takeOverTask(first, second, model, host);
      const { code, events } = await runRunner(place, { task, env: runEnv(place) });
      expect(code).toBe(0);
      expect(readFileSync(join(place.repo, "part.txt"), "utf8")).toBe("begun\n");
      expect(readFileSync(join(place.repo, "hello.txt"), "utf8")).toBe("hello\n");
      const between = takeOverIn(events, first, second);
      expect(
        between.filter(({ type }) => type === "meta" || type === "state"),
        "the same step goes on: nobody is asked, nothing is waited for",
      ).toEqual([]);
      const starts = events.flatMap((event) =>
        event.type === "worker" && event.phase === "started" ? [event.tool] : [],
      );
      expect(starts).toEqual([first, second]);
      const prompts = model.requests.filter(({ turn }) =>
        turn.prompt.includes(`${first} was stopped`),
      );
      expect(prompts.length).toBeGreaterThan(0);
    },
    180_000,
  );
});
