import { afterAll, afterEach, beforeAll, beforeEach, describe } from "vitest";
import { findDockerWithBaseImage, type DockerEngine } from "../harness/docker.ts";
import type { ScriptedModel } from "../harness/scripted-model/server.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { newPlace, type Place } from "../runner/harness/agent-runner.ts";
import { ensureCliImages } from "./cli-images.ts";
import { cliTask, hostAddress, type CliKind, type CliTask } from "./cli-task.ts";

export const KINDS: readonly CliKind[] = ["codex-cli", "claude-code", "gemini-cli"];

/** Where a real CLI is tried: the engine with its image, the model it asks, and a place of each test's own. */
export interface CliStage {
  readonly docker: DockerEngine;
  readonly model: ScriptedModel;
  /** This machine, seen from a container. */
  readonly host: string;
  readonly place: Place;
  /** What sends a task to the model. */
  readonly to: (task: Omit<CliTask, "model" | "host">) => CliTask;
  readonly task: (task: Omit<CliTask, "model" | "host">) => object;
}

const docker = await findDockerWithBaseImage();

/** Tests of the real CLIs against a scripted model; `what` is what is not tested where there is no Docker. */
export function describeClis(
  what: string,
  name: string,
  openModel: () => Promise<ScriptedModel>,
  tests: (stage: CliStage) => void,
): void {
  describe.skipIf(skipWithout(docker, what))(`${name}`, () => {
    let model: ScriptedModel;
    let host: string;
    let place: Place;
    beforeAll(async () => {
      await ensureCliImages(present(docker), KINDS);
      host = await hostAddress(present(docker));
      model = await openModel();
    }, 600_000);
    afterAll(() => model.close());
    beforeEach(() => void (place = newPlace()));
    afterEach(() => place.remove());
    const to: CliStage["to"] = (task) => ({ ...task, model, host });
    tests({
      get docker() {
        return present(docker);
      },
      get model() {
        return model;
      },
      get host() {
        return host;
      },
      get place() {
        return place;
      },
      to,
      task: (task) => cliTask(to(task)),
    });
  });
}
