import { afterAll, beforeAll, describe } from "vitest";
import { findDockerWithBaseImage, type DockerEngine } from "../harness/docker.ts";
import { isMissing, present, skipWithout } from "../harness/skips.ts";
import { openSecondEngine, type EngineSettings, type SecondEngine } from "./second-engine.ts";

export interface SecondEngineNeeds extends EngineSettings {
  /** Sees that an image is there, besides the base image, and gives its name. */
  readonly image?: (first: DockerEngine) => Promise<string>;
}

const docker = await findDockerWithBaseImage();
const root = process.getuid?.() === 0;
const needed =
  root || isMissing(docker) ? docker : { missing: "not root", how: "run as root, as CI does" };

/** Tests on an engine of their own, the same for all of them; `engine` is for inside of them. */
export function describeOnSecondEngine(
  name: string,
  { image, ...settings }: SecondEngineNeeds,
  tests: (engine: () => SecondEngine) => void,
): void {
  describe.skipIf(skipWithout(needed, name))(`${name}`, () => {
    let engine: SecondEngine | null = null;
    beforeAll(async () => {
      const first = present(docker);
      engine = await openSecondEngine(first, settings, await image?.(first));
    }, 900_000);
    afterAll(() => engine?.remove(), 60_000);
    tests(() => {
      if (engine === null) throw new Error("the engine is not there yet");
      return engine;
    });
  });
}
