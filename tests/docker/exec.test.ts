import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { skipWithout } from "../harness/skips.ts";
import { openTestSandbox, type TestSandbox } from "./sandbox.ts";

const docker = await findDockerWithBaseImage();

describe.skipIf(skipWithout(docker, "commands in containers"))("a command in a container", () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openTestSandbox({ env: { FROM_TASK: 'it\'s "here"\nand here' } });
  });
  afterAll(() => box.remove());

  test("has its output told apart, its exit code, its input and its variables", async () => {
    const script = 'cat; printf "%s|" "$FROM_TASK" "$OF_RUN"; echo oops >&2; pwd; exit 7';
    const run = await box.run(script, {
      stdin: "line 1\nlast without end\0",
      env: { OF_RUN: "a'b$c" },
    });
    expect(run).toMatchObject({ end: "exited", exitCode: 7, stderr: "oops" });
    expect(run.stdout).toBe(
      `line 1\nlast without end\0it's "here"\nand here|a'b$c|/workspace/project`,
    );
  });
});
