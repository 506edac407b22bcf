import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import type { ScriptedModel } from "../harness/scripted-model/server.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { newPlace, runRunner, type Place } from "../runner/harness/agent-runner.ts";
import { ensureCliImages } from "./cli-images.ts";
import { hostAddress, runEnv, type CliKind } from "./cli-task.ts";
import { limitingModel, takeOverIn, takeOverTask } from "./take-over.ts";

const docker = await findDockerWithBaseImage();

describe.skipIf(skipWithout(docker, "taking over after a limit"))("a real CLI at its limit", () => {
  let model: ScriptedModel;
  let host: string;
  let place: Place;
  beforeAll(async () => {
    await ensureCliImages(present(docker), ["codex-cli", "claude-code", "gemini-cli"]);
    host = await hostAddress(present(docker));
    model = await limitingModel();
  }, 600_000);
  afterAll(() => model.close());
  beforeEach(() => (place = newPlace()));
  afterEach(() => place.remove());

  // How fast is measured by `npm run bench -- take-over`; here it must be the very next thing that happens.
  test.each<[first: CliKind, second: CliKind]>([
    ["codex-cli", "claude-code"],
    ["claude-code", "gemini-cli"],
    ["gemini-cli", "codex-cli"],
  ])(
    "after a limit of %s, %s takes over at once and finishes in the same tree",
    async (first, second) => {
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
