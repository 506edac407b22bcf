import { beforeAll, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { ensureCliImages } from "./cli-images.ts";
import { openTestSandbox } from "./sandbox.ts";

const docker = await findDockerWithBaseImage();

describe.skipIf(skipWithout(docker, "images of the coding CLIs"))(
  "images from the shipped Dockerfiles",
  () => {
    const kinds = ["codex-cli", "claude-code", "gemini-cli"];
    beforeAll(() => ensureCliImages(present(docker), kinds), 600_000);

    test.each([
      ["agent-runner-codex", "codex --version", "0.166.0"],
      ["agent-runner-claude", "claude --version", "2.1.325"],
      ["agent-runner-gemini", "gemini --version", "0.61.0"],
    ])(
      "%s holds the pinned CLI, git and ripgrep",
      async (image, command, version) => {
        const box = await openTestSandbox({ image, memory: "1g" });
        try {
          const run = await box.run(`${command} && git --version && rg --version | head -1`);
          expect(run).toMatchObject({ end: "exited", exitCode: 0 });
          expect(run.stdout).toContain(version);
        } finally {
          await box.remove();
        }
      },
      60_000,
    );
  },
);
